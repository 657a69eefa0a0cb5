// pkg-config names the folder of the header. Tools that read the module without it find Debian's.
#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#else
#include <postgresql/libpq-fe.h>
#endif
