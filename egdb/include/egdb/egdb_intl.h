/*
 * For engines that include the Kingsrow driver's header by its own name. See ../egdb.h.
 */
#ifndef MEERSLAG_EGDB_INTL_H
#define MEERSLAG_EGDB_INTL_H

#include "../egdb.h"

#ifdef __cplusplus
namespace egdb_interface {

/* As the versions of 2016 had it. max_9pc_kings is always 0. */
inline int egdb_get_pieces(const EGDB_DRIVER *handle, int *max_pieces, int *max_pieces_1side,
                           int *max_9pc_kings, int *max_8pc_kings_1side) {
    return handle->get_pieces(handle, max_pieces, max_pieces_1side, max_9pc_kings,
                              max_8pc_kings_1side);
}

} /* namespace egdb_interface */
#endif

#endif
