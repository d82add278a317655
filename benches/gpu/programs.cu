// Runs the kernels of kernels.cuh on the inputs of programs.py.
// Prints a line of JSON for each: times of the kernel alone, and a number that tells results apart.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(call)                                                                  \
    do {                                                                             \
        cudaError_t error = (call);                                                  \
        if (error != cudaSuccess) {                                                  \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error));           \
            exit(1);                                                                 \
        }                                                                            \
    } while (0)

#include "kernels.cuh"

template <typename T>
T *device(size_t count) {
    T *memory;
    CHECK(cudaMalloc(&memory, count * sizeof(T)));
    return memory;
}

template <typename Launch>
std::vector<float> timed(int repetitions, Launch launch) {
    std::vector<float> times;
    cudaEvent_t before, after;
    CHECK(cudaEventCreate(&before));
    CHECK(cudaEventCreate(&after));
    for (int turn = 0; turn < repetitions; turn++) {
        CHECK(cudaEventRecord(before));
        launch();
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(after));
        CHECK(cudaEventSynchronize(after));
        float ms;
        CHECK(cudaEventElapsedTime(&ms, before, after));
        times.push_back(ms / 1000);
    }
    return times;
}

template <typename T>
void report(const char *name, const std::vector<float> &times, std::vector<T *> outputs, size_t count) {
    double check = 0;
    std::vector<T> host(count);
    for (T *output : outputs) {
        CHECK(cudaMemcpy(host.data(), output, count * sizeof(T), cudaMemcpyDeviceToHost));
        long double sum = 0;
        for (T value : host) sum += value;
        check += (double)sum;
    }
    printf("{\"name\": \"%s\", \"check\": %.17g, \"times\": [", name, check);
    for (size_t turn = 0; turn < times.size(); turn++) printf("%s%.9f", turn ? ", " : "", times[turn]);
    printf("]}\n");
}

int main(int argc, char **argv) {
    int repetitions = argc > 1 ? atoi(argv[1]) : 5;
    const int threads = 256;
    {
        const int side = 2048;
        auto out = device<long long>(side * side);
        int blocks = (side * side + threads - 1) / threads;
        auto wide = timed(repetitions, [&] { mandelbrot<long long><<<blocks, threads>>>(out, side, side, 1000, 0.00125); });
        report<long long>("mandelbrot", wide, {out}, side * side);
        auto narrow = timed(repetitions, [&] { mandelbrot<int><<<blocks, threads>>>(out, side, side, 1000, 0.00125); });
        report<long long>("mandelbrot-int", narrow, {out}, side * side);
    }
    {
        const int n = 1 << 14;
        std::vector<double> host(n);
        double *inputs[4], *outputs[3];
        for (int axis = 0; axis < 4; axis++) {
            for (int k = 0; k < n; k++) host[k] = axis < 3 ? sin(k * (1.7 + axis)) : 1.0 + (k % 7) * 0.1;
            inputs[axis] = device<double>(n);
            CHECK(cudaMemcpy(inputs[axis], host.data(), n * sizeof(double), cudaMemcpyHostToDevice));
        }
        for (auto &output : outputs) output = device<double>(n);
        auto times = timed(repetitions, [&] {
            nbody<<<(n + threads - 1) / threads, threads>>>(outputs[0], outputs[1], outputs[2], n, inputs[0], inputs[1],
                                                            inputs[2], inputs[3]);
        });
        report<double>("nbody", times, {outputs[0], outputs[1], outputs[2]}, n);
    }
    {
        const int count = 1 << 20;
        auto out = device<long long>(count);
        auto times = timed(repetitions, [&] { monte_carlo<<<count / threads, threads>>>(out, count, 1000); });
        report<long long>("monte_carlo", times, {out}, count);
    }
    {
        const int rows = 1080, columns = 1920;
        auto out = device<double>(rows * columns);
        int blocks = (rows * columns + threads - 1) / threads;
        auto times = timed(repetitions, [&] { ray_march<<<blocks, threads>>>(out, rows, columns, columns, rows); });
        report<double>("ray_march", times, {out}, rows * columns);
    }
}
