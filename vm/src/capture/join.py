"""`separator.join(iterable)`, as a loop: see `capture/join.rs`."""


def join(separator, iterable):
    characters = []
    later = False
    for item in iterable:
        if later:
            for character in separator:
                characters.append(character)
        later = True
        for part in text_parts(item):
            if number_in(part):
                add_digits(characters, part)
            else:
                for character in part:
                    characters.append(character)
    return text_of(characters)


def add_digits(characters, number):
    if number < 0:
        characters.append("-")
        number = -number
    begin = len(characters)
    while True:
        characters.append(chr(48 + number % 10))
        number = number // 10
        if number == 0:
            break
    end = len(characters) - 1
    while begin < end:
        characters[begin], characters[end] = characters[end], characters[begin]
        begin += 1
        end -= 1


def text_parts(item):
    # Compiled code has its own.
    return (item,)


def number_in(part):
    # Compiled code has its own.
    return False


def text_of(characters):
    # Compiled code has its own.
    return "".join(characters)
