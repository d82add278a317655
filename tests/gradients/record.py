"""Has JAX compute the papers' cases, in double precision: `python3 record.py > expectations.txt`. Run where JAX is
installed; the tests need only what it prints."""

import jax

import papers

jax.config.update("jax_enable_x64", True)

for name, case in papers.cases(jax.numpy, jax.grad, jax.value_and_grad):
    print(name, *(it.hex() for it in papers.flat(case())), sep="\t")
