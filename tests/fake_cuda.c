/* A driver without a card, for tests: its memory is the host's, and no kernel ever runs. What is to go
   wrong is told by FAKE_CUDA. FAKE_CUDA_CAPABILITY is the card's (90), FAKE_CUDA_PTX a folder for what it is
   given to assemble, FAKE_CUDA_LOG a file that what it is asked for is noted in. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OK = 0, OUT_OF_MEMORY = 2, NO_DEVICE = 100, ILLEGAL_ADDRESS = 700, LAUNCH_FAILED = 719 };

static int is(const char *what) {
    const char *asked = getenv("FAKE_CUDA");
    return asked && !strcmp(asked, what);
}

static void note(const char *what) {
    const char *path = getenv("FAKE_CUDA_LOG");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (file) {
        fprintf(file, "%s\n", what);
        fclose(file);
    }
}

int cuDriverGetVersion(int *version) { *version = is("old") ? 10020 : 12040; return OK; }
int cuInit(unsigned flags) { (void)flags; return is("broken") ? NO_DEVICE : OK; }
int cuDeviceGetCount(int *count) { *count = is("none") ? 0 : 1; return OK; }
int cuDeviceGet(int *device, int ordinal) { *device = ordinal; return OK; }
int cuDeviceGetName(char *name, int size, int device) {
    (void)device;
    snprintf(name, (size_t)size, "Pretended Card");
    return OK;
}
int cuDeviceGetAttribute(int *value, int which, int device) {
    (void)device;
    const char *asked = getenv("FAKE_CUDA_CAPABILITY");
    int capability = is("ancient") ? 30 : asked ? atoi(asked) : 90;
    *value = which == 75 ? capability / 10 : which == 76 ? capability % 10 : which == 16 ? 132 : 0;
    return OK;
}
int cuDeviceTotalMem_v2(size_t *bytes, int device) {
    (void)device;
    *bytes = (size_t)1 << 33;
    return OK;
}
int cuDevicePrimaryCtxRetain(void **context, int device) {
    (void)device;
    note("context");
    *context = (void *)8;
    return OK;
}
static void *current;
int cuCtxSetCurrent(void *context) { current = context; return OK; }
int cuCtxGetCurrent(void **context) { *context = current; return OK; }
int cuDeviceGetDefaultMemPool(void **pool, int device) { (void)device; *pool = (void *)8; return OK; }
int cuMemPoolSetAttribute(void *pool, int which, void *value) {
    (void)pool, (void)which, (void)value;
    return OK;
}
static void keep(const char *text) {
    static int count;
    const char *folder = getenv("FAKE_CUDA_PTX");
    char name[1000];
    if (!folder)
        return;
    snprintf(name, sizeof name, "%s/%d-%d.ptx", folder, (int)getpid(), count++);
    FILE *file = fopen(name, "w");
    if (file) {
        fputs(text, file);
        fclose(file);
    }
}

int cuModuleLoadData(void **module, const void *image) {
    keep(image);
    if (is("ptx"))
        return 218;
    note(strstr(image, ".target sm_90") ? "sm_90" : "other target");
    *module = (void *)8;
    return OK;
}
int cuModuleGetFunction(void **function, void *module, const char *name) {
    (void)module, (void)name;
    *function = (void *)8;
    return OK;
}
int cuFuncGetAttribute(int *value, int which, void *function) {
    (void)which, (void)function;
    *value = 1024;
    return OK;
}
int cuModuleUnload(void *module) { (void)module; return OK; }
int cuStreamCreate(void **stream, unsigned flags) { (void)flags; *stream = (void *)8; return OK; }
int cuStreamSynchronize(void *stream) { (void)stream; return is("lost") ? ILLEGAL_ADDRESS : OK; }
int cuMemAllocAsync(uint64_t *at, size_t bytes, void *stream) {
    (void)stream;
    if (is("memory") && bytes > 2000)
        return OUT_OF_MEMORY;
    *at = (uint64_t)malloc(bytes);
    return *at ? OK : OUT_OF_MEMORY;
}
int cuMemFreeAsync(uint64_t at, void *stream) { (void)stream; free((void *)at); return OK; }
int cuMemsetD8Async(uint64_t at, unsigned char byte, size_t count, void *stream) {
    (void)stream;
    memset((void *)at, byte, count);
    return OK;
}
int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *stream) {
    (void)stream;
    note("up");
    memcpy((void *)to, from, bytes);
    return OK;
}
int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream) {
    (void)stream;
    memcpy(to, (void *)from, bytes);
    return OK;
}
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void *stream, void **parameters, void **extra) {
    (void)function, (void)shared, (void)stream, (void)extra;
    char text[200];
    int64_t lo = *(int64_t *)parameters[1], hi = *(int64_t *)parameters[2];
    snprintf(text, sizeof text, "launch %u %u %u of %u %u %u for %ld..%ld", gx, gy, gz, bx, by, bz,
             (long)lo, (long)hi);
    note(text);
    if (is("launch"))
        return LAUNCH_FAILED;
    /* Something fires in each kernel that is not to fail otherwise: its results are nobody's. */
    **(int64_t **)parameters[3] = 1;
    return OK;
}
int cuGetErrorName(int error, const char **name) { (void)error; *name = "CUDA_ERROR"; return OK; }
int cuGetErrorString(int error, const char **words) {
    *words = error == LAUNCH_FAILED ? "unspecified launch failure"
             : error == ILLEGAL_ADDRESS ? "an illegal memory access was encountered"
             : error == NO_DEVICE ? "no CUDA-capable device is detected" : "some error";
    return OK;
}
