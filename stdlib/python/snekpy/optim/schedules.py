"""Schedules: how far a step goes, as a function of how many there have been. Names are those of `optax`.

An optimiser takes one as its `rate`: `optim.Adam(model, optim.cosine_decay_schedule(1e-3, 10_000))`. Any function from a
count to a float is one.
"""

import math

__all__ = [
    "constant_schedule", "cosine_decay_schedule", "exponential_decay", "inverse_sqrt_schedule", "join_schedules",
    "linear_schedule", "piecewise_constant_schedule", "polynomial_schedule", "warmup_cosine_decay_schedule",
]


def constant_schedule(value):
    """Always the same."""
    return lambda count: value


def polynomial_schedule(init_value, end_value, power, transition_steps, transition_begin=0):
    """From one value to the other in so many steps, by `(1 - share of steps) ** power`; then it stays there."""
    _steps("polynomial_schedule", transition_steps)

    def schedule(count):
        done = min(max(count - transition_begin, 0), transition_steps)
        return (init_value - end_value) * (1.0 - done / transition_steps) ** power + end_value

    return schedule


def linear_schedule(init_value, end_value, transition_steps, transition_begin=0):
    """Straight from one value to the other in so many steps; then it stays there."""
    return polynomial_schedule(init_value, end_value, 1.0, transition_steps, transition_begin)


def exponential_decay(init_value, transition_steps, decay_rate, transition_begin=0, staircase=False, end_value=0.0):
    """Times `decay_rate` in so many steps, by and by or (`staircase`) at once; not below `end_value`."""
    _steps("exponential_decay", transition_steps)

    def schedule(count):
        since = max(count - transition_begin, 0)
        times = float(since // transition_steps) if staircase else since / transition_steps
        return max(init_value * decay_rate**times, end_value)

    return schedule


def cosine_decay_schedule(init_value, decay_steps, alpha=0.0):
    """Half a wave of a cosine down to `alpha` times the first value (Loshchilov and Hutter 2017); then it stays there."""
    _steps("cosine_decay_schedule", decay_steps)

    def schedule(count):
        share = 0.5 * (1.0 + math.cos(math.pi * min(count, decay_steps) / decay_steps))
        return init_value * ((1.0 - alpha) * share + alpha)

    return schedule


def warmup_cosine_decay_schedule(init_value, peak_value, warmup_steps, decay_steps, end_value=0.0):
    """Straight up to `peak_value`, then down by a cosine to `end_value`, which is reached after `decay_steps` in all."""
    _steps("warmup_cosine_decay_schedule", decay_steps - warmup_steps)
    up = linear_schedule(init_value, peak_value, max(warmup_steps, 1))
    down = cosine_decay_schedule(peak_value, decay_steps - warmup_steps, end_value / peak_value)
    return join_schedules((up, down), (warmup_steps,))


def inverse_sqrt_schedule(peak_value, warmup_steps):
    """Straight up to `peak_value`, then down with the root of the count (Vaswani et al. 2017)."""
    _steps("inverse_sqrt_schedule", warmup_steps)
    return lambda count: peak_value * min((count + 1) / warmup_steps, math.sqrt(warmup_steps / (count + 1)))


def piecewise_constant_schedule(init_value, boundaries_and_scales):
    """Times a factor from each of some counts on: `{1000: 0.1, 2000: 0.1}`."""
    pairs = tuple(sorted(boundaries_and_scales.items()))

    def schedule(count):
        value = init_value
        for boundary, scale in pairs:
            if count >= boundary:
                value = value * scale
        return value

    return schedule


def join_schedules(schedules, boundaries):
    """One after the other: the next begins, at 0, where the count reaches a boundary."""
    if len(schedules) != len(boundaries) + 1:
        wanted = len(schedules) - 1
        raise ValueError(f"join_schedules: {len(schedules)} `schedules` have {wanted} `boundaries`, not {len(boundaries)}")
    schedules, boundaries = tuple(schedules), tuple(boundaries)

    def schedule(count):
        value = schedules[0](count)
        for boundary, following in zip(boundaries, schedules[1:]):
            if count >= boundary:
                value = following(count - boundary)
        return value

    return schedule


def _steps(where, count):
    if count < 1:
        raise ValueError(f"{where}: the number of steps is 1 at least, not {count}")
