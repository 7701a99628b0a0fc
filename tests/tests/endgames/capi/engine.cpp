// An engine in C++: everything is in the namespace of the original.
#include "egdb.h"

#include <cinttypes>
#include <cstdio>

using namespace egdb_interface;

static void message(const char *text) { std::fprintf(stderr, "%s\n", text); }

int main(int argc, char **argv) {
    if (argc != 2)
        return 2;
    EGDB_TYPE type;
    int max_pieces;
    if (egdb_interface::egdb_identify(argv[1], &type, &max_pieces) != 0)
        return 3;
    EGDB_DRIVER *handle = egdb_open("maxpieces=3; backend=cache", 20, argv[1], message);
    if (handle == nullptr)
        return 4;
    EGDB_POSITION position;
    while (std::scanf("%" SCNx64 " %" SCNx64 " %" SCNx64, &position.black, &position.white,
                      &position.king) == 3) {
        int color;
        if (std::scanf("%d", &color) != 1)
            return 5;
        std::printf("%d\n", handle->lookup(handle, &position, color, 0));
    }
    // The block is in the cache now.
    EGDB_POSITION kings = {1, EGDB_BITBOARD(1) << 48, 1 | EGDB_BITBOARD(1) << 48};
    int value = egdb_lookup(handle, &kings, EGDB_BLACK, 0);
    if (egdb_lookup(handle, &kings, EGDB_BLACK, 1) != value || !is_wld(handle))
        return 6;
    return handle->close(handle);
}
