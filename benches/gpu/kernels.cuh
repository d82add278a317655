// The kernels of benches/gpu/programs.cu: those of programs.py, written by hand, one thread for each index.
// `long long` as Python's ints are wide, and `Count` for those who count with ints.
template <typename Count>
__global__ void mandelbrot(long long *out, int height, int width, Count limit, double step) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= height * width) return;
    double cr = -2.0 + (at % width) * step, ci = -1.25 + (at / width) * step;
    double x = 0.0, y = 0.0;
    Count n = 0;
    for (; n < limit; n++) {
        double xx = x * x, yy = y * y;
        if (xx + yy > 4.0) break;
        y = 2.0 * x * y + ci;
        x = xx - yy + cr;
    }
    out[at] = n;
}

__global__ void nbody(double *ax, double *ay, double *az, int n, const double *__restrict__ xs,
                      const double *__restrict__ ys, const double *__restrict__ zs, const double *__restrict__ ms) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double x = xs[i], y = ys[i], z = zs[i], sx = 0.0, sy = 0.0, sz = 0.0;
    for (int j = 0; j < n; j++) {
        double dx = xs[j] - x, dy = ys[j] - y, dz = zs[j] - z;
        double square = dx * dx + dy * dy + dz * dz + 1e-9;
        double factor = ms[j] / (square * sqrt(square));
        sx += dx * factor;
        sy += dy * factor;
        sz += dz * factor;
    }
    ax[i] = sx;
    ay[i] = sy;
    az[i] = sz;
}

__global__ void monte_carlo(long long *out, long long count, int trials) {
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i >= count) return;
    long long state = (i * 2654435761LL + 88172645463325252LL) & 0x3FFFFFFFFFFFFFFFLL;
    int hits = 0;
    for (int trial = 0; trial < trials; trial++) {
        state ^= (state & 0x1FFFFFFFFFFFFLL) << 13;
        state ^= state >> 7;
        state ^= (state & 0x1FFFFFFFFFFFLL) << 17;
        double x = (state & 0xFFFFFF) / 16777216.0, y = ((state >> 24) & 0xFFFFFF) / 16777216.0;
        if (x * x + y * y < 1.0) hits++;
    }
    out[i] = hits;
}

__device__ double distance(double x, double y, double z) {
    double qx = x - 4.0 * floor(x / 4.0 + 0.5), qz = z - 4.0 * floor(z / 4.0 + 0.5);
    double sphere = sqrt(qx * qx + y * y + qz * qz) - 1.0;
    double ground = y + 1.0;
    return ground < sphere ? ground : sphere;
}

__device__ double light_of(int i, int j, double width, double height) {
    double dx = (j - width * 0.5) / height, dy = (height * 0.5 - i) / height;
    double scale = 1.0 / sqrt(dx * dx + dy * dy + 1.0);
    dx *= scale;
    dy *= scale;
    double dz = scale, x = 0.0, y = 1.0, z = -3.0, travelled = 0.0;
    for (int turn = 0; turn < 128; turn++) {
        double d = distance(x, y, z);
        if (d < 1e-4) {
            double e = 1e-4;
            double nx = distance(x + e, y, z) - d, ny = distance(x, y + e, z) - d, nz = distance(x, y, z + e) - d;
            double light = (nx * 0.5 + ny * 0.7 - nz * 0.5) / sqrt(nx * nx + ny * ny + nz * nz);
            return (light > 0.0 ? light : 0.0) * exp(-0.05 * travelled);
        }
        if (travelled > 60.0) return 0.0;
        x += dx * d;
        y += dy * d;
        z += dz * d;
        travelled += d;
    }
    return 0.0;
}

__global__ void ray_march(double *out, int rows, int columns, double width, double height) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= rows * columns) return;
    out[at] = light_of(at / columns, at % columns, width, height);
}
