# A kernel for a GPU can be looked at where there is none.
#@ reference snekpy: CPython has no kernels to look at
import snekpy


def double(i, xs):
    return 2.0 * xs[i]


try:
    from array import array

    k = snekpy.kernel(double, 3, array("d", [0.0]), target="cuda")
    text = k.inspect("ptx")
    words = (".visible .entry kernel", "ld.global", "st.global.b64", "atom.")
except AttributeError:
    text, words = "", ()
print([word for word in words if word not in text])
