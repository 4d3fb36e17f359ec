// Assertions of what the kernel takes for granted (see checked.pxd).
#pragma once

#ifdef MAXSYNTH_CHECK
#include <cstdio>
#include <cstdlib>
#define MAXSYNTH_CHECKED 1
static inline void maxsynth_failed(const char* said, const char* file, int line) {
    std::fprintf(stderr, "%s:%d: the kernel takes for granted, and it is not so: %s\n", file, line, said);
    std::abort();
}
#define maxsynth_assert(holds) ((holds) ? (void)0 : maxsynth_failed(#holds, __FILE__, __LINE__))
#else
#define MAXSYNTH_CHECKED 0
#define maxsynth_assert(holds) ((void)0)
#endif
