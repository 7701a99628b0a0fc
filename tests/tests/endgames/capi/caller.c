/*
 * A foreign engine, which includes the header by the Kingsrow driver's name. In C and in C++.
 * Usage: caller OPTIONS CACHE_MB FOLDER < positions; each line is "black white king color cl", all
 * but the last two in hexadecimal. Prints messages, piece counts and values as lines.
 */
#include "egdb/egdb_intl.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
using namespace egdb_interface;
#define GET_PIECES egdb_get_pieces
#else
#define GET_PIECES handle->get_pieces
#endif

static void message(const char *text) { printf("message %s", text); }

int main(int argc, char **argv) {
    if (argc != 4)
        return 2;
    EGDB_DRIVER *handle = egdb_open(argv[1], atoi(argv[2]), argv[3], message);
    if (!handle) {
        puts("closed");
        return 0;
    }
    int pieces, one_side, nine, eight;
    if (GET_PIECES(handle, &pieces, &one_side, &nine, &eight) != 0)
        return 1;
    printf("pieces %d %d %d %d\n", pieces, one_side, nine, eight);
    EGDB_POSITION position;
    int color, cl;
    while (scanf("%" SCNx64 " %" SCNx64 " %" SCNx64 " %d %d", &position.black, &position.white,
                 &position.king, &color, &cl) == 5)
        printf("%d\n", egdb_lookup(handle, &position, color, cl));
    return egdb_close(handle);
}
