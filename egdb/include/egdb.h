/*
 * Endgame databases of international draughts (10x10), Kingsrow formats.
 *
 * The first part has the names that engines written for the Kingsrow driver use; in C++
 * they are in the namespace egdb_interface. The second part, with the prefix meerslag_, is ours.
 * Any number of threads may look up at the same time. No function throws or aborts; after a
 * failure meerslag_last_error says what went wrong.
 */
#ifndef MEERSLAG_EGDB_H
#define MEERSLAG_EGDB_H

#ifdef __cplusplus
#include <cstdint>
namespace egdb_interface {
extern "C" {
#else
#include <stdbool.h>
#include <stdint.h>
#endif

/*
 * A set of squares: square s (0..49, its number minus one) is bit s + s / 10. The bits 10, 21, 32, 43
 * and those above 53 are always 0. Black moves to higher squares.
 */
typedef uint64_t EGDB_BITBOARD;

typedef struct EGDB_POSITION {
    EGDB_BITBOARD black;
    EGDB_BITBOARD white;
    EGDB_BITBOARD king; /* of both colours */
} EGDB_POSITION;

typedef enum EGDB_COLOR { EGDB_BLACK = 0, EGDB_WHITE = 1 } EGDB_COLOR;

/* Values of win/loss/draw databases, for the side to move. */
typedef enum WLD_VALUE {
    EGDB_SUBDB_UNAVAILABLE = -2, /* also after a failure, and in distance-to-win databases */
    EGDB_NOT_IN_CACHE = -1,
    EGDB_UNKNOWN = 0, /* also where the format has no value, as for captures */
    EGDB_WIN = 1,
    EGDB_LOSS = 2,
    EGDB_DRAW = 3,
    EGDB_DRAW_OR_LOSS = 4,
    EGDB_WIN_OR_DRAW = 5
} WLD_VALUE;

/* Values of distance-to-conversion databases: one of these, or an even distance. */
typedef enum MTC_VALUE {
    MTC_UNKNOWN = 0, /* after a failure only */
    MTC_LESS_THAN_THRESHOLD = 1,
    MTC_THRESHOLD = 10
} MTC_VALUE;

typedef enum EGDB_TYPE {
    EGDB_WLD_RUNLEN = 0,
    EGDB_MTC_RUNLEN = 1,
    EGDB_WLD_HUFFMAN = 2, /* no longer read */
    EGDB_WLD_TUN_V1 = 3,
    EGDB_WLD_TUN_V2 = 4,
    EGDB_DTW = 5,
    EGDB_WLD_COMPACT = 100 /* ours */
} EGDB_TYPE;

/* The words of egdb_verify's messages, each ended by a zero. */
typedef struct EGDB_VERIFY_MSGS {
    char crc_failed[80];
    char ok[80];
    char errors[80];
    char no_errors[80];
} EGDB_VERIFY_MSGS;

typedef struct EGDB_STATS {
    unsigned int lru_cache_hits;
    unsigned int lru_cache_loads;
    unsigned int autoload_hits; /* ours: files mapped into memory */
    unsigned int db_requests;
    unsigned int db_returns;
    unsigned int db_not_present_requests;
    float avg_ht_list_length; /* ours: always 0 */
} EGDB_STATS;

/* Old engines call through the pointers; the functions below do the same. */
typedef struct EGDB_DRIVER {
    int (*lookup)(struct EGDB_DRIVER *handle, const EGDB_POSITION *position, int color, int cl);
    void (*reset_stats)(struct EGDB_DRIVER *handle);
    EGDB_STATS *(*get_stats)(const struct EGDB_DRIVER *handle);
    int (*verify)(const struct EGDB_DRIVER *handle, void (*msg_fn)(const char *), int *abort,
                  EGDB_VERIFY_MSGS *msgs);
    int (*close)(struct EGDB_DRIVER *handle);
    int (*get_pieces)(const struct EGDB_DRIVER *handle, int *max_pieces, int *max_pieces_1side,
                      int *max_9pc_kings, int *max_8pc_kings_1side);
    void *internal_data;
} EGDB_DRIVER;

/*
 * Opens the database in a directory. Null on failure; the reason goes to msg_fn, which may be
 * null. Its messages are lines that end with a newline. Until the handle is closed, damage that a
 * look-up finds goes to msg_fn, too, once each, from the thread that looks up.
 *
 * options: "name = value" pairs separated by ';', null or empty for none. Unknown options, and
 * what follows a number, have no effect; a message names them.
 *   maxpieces = N             files of at most N pieces; 0 or less: all
 *   maxkings_1side_8pcs = N   no 8-piece files with more than N kings on a side
 *   backend = mmap | cache    ours: files mapped into memory (default), or read into a cache
 *   preload = 1               ours: read all files now (with backend = cache as much as it holds)
 *   type = wld2 | compact | wld1 | run | mtc | dtw | rules
 *                             ours: one of several databases in a directory, as "meerslag egdb
 *                             build" makes them. By default win/loss/draw comes first. To use
 *                             several, open the directory once for each type.
 * cache_mb: MiB of memory to use, at least 10, as in the original.
 *
 * Nobody may shorten or change files while they are mapped: a read beyond the new end ends the
 * process with a signal (SIGBUS). With backend = cache it is an error instead.
 */
EGDB_DRIVER *egdb_open(const char *options, int cache_mb, const char *directory,
                       void (*msg_fn)(const char *));

/*
 * The stored value of a position. Positions without one in the format (the side to move can
 * capture; version 2 with 7 pieces or more also: the other side could) give EGDB_UNKNOWN,
 * MTC_LESS_THAN_THRESHOLD or, in distance-to-win databases, EGDB_SUBDB_UNAVAILABLE. cl non-zero:
 * do not read the disk; the answer is then EGDB_NOT_IN_CACHE, but in distance-to-conversion
 * databases MTC_LESS_THAN_THRESHOLD, as in the original. (With mapped files the system is asked what
 * it has in memory; on Windows it is not, and cl has no effect.) A distance to win is half the number
 * of plies, rounded down.
 */
int egdb_lookup(EGDB_DRIVER *handle, const EGDB_POSITION *position, int color, int cl);

/* 0 on success. The handle must not be used again, nor be in use by another thread. */
int egdb_close(EGDB_DRIVER *handle);

/* 0 on success; else the outputs are untouched. */
int egdb_identify(const char *directory, enum EGDB_TYPE *egdb_type, int *max_pieces);

/*
 * Compares the files with their checksums: those in the side files NAME.sum, or else the published
 * ones. Returns how many differ, -1 after a failure or if *abort became non-zero. Files without a
 * known checksum are skipped; if all are, the result is 0. msg_fn, abort and msgs may be null.
 */
int egdb_verify(const EGDB_DRIVER *handle, void (*msg_fn)(const char *), int *abort,
                EGDB_VERIFY_MSGS *msgs);

/* 0 on success. */
int egdb_get_pieces(const EGDB_DRIVER *handle, int *max_pieces, int *max_pieces_1side);

void egdb_reset_stats(EGDB_DRIVER *handle);

/* In memory of the calling thread, overwritten by its next call. */
EGDB_STATS *egdb_get_stats(const EGDB_DRIVER *handle);

EGDB_TYPE egdb_get_type(const EGDB_DRIVER *handle);

bool is_wld(const EGDB_DRIVER *handle);
bool is_dtw(const EGDB_DRIVER *handle);
bool is_mtc(const EGDB_DRIVER *handle);

/* ---- Beyond the original ---- */

/* The text of the last failure in the calling thread, valid until its next call. Never null. */
const char *meerslag_last_error(void);

/* Databases that answer together, for every legal position within their piece counts. */
typedef struct MEERSLAG_PROBE MEERSLAG_PROBE;

#define MEERSLAG_ERROR (-3)       /* a bad argument or a damaged file */
#define MEERSLAG_NO_DISTANCE (-1) /* a draw, or not in the databases */

MEERSLAG_PROBE *meerslag_probe_new(void);

/* 0 on success. The handle may be closed afterwards. No other thread may be using the probe. */
int meerslag_probe_add(MEERSLAG_PROBE *probe, const EGDB_DRIVER *handle);

/* EGDB_WIN, EGDB_LOSS, EGDB_DRAW; EGDB_UNKNOWN beyond the databases. */
int meerslag_probe_wld(const MEERSLAG_PROBE *probe, const EGDB_POSITION *position, int color);

/* Plies to the end of the game; 0: no legal move. */
int meerslag_probe_dtw(const MEERSLAG_PROBE *probe, const EGDB_POSITION *position, int color);

/* Distance to conversion, odd for wins and even for losses. */
int meerslag_probe_mtc(const MEERSLAG_PROBE *probe, const EGDB_POSITION *position, int color);

#define MEERSLAG_LOSS (-2)
#define MEERSLAG_BLESSED_LOSS (-1) /* a draw by counting comes before the end */
#define MEERSLAG_DRAW 0
#define MEERSLAG_CURSED_WIN 1
#define MEERSLAG_WIN 2
#define MEERSLAG_NOT_KNOWN 3

/*
 * The value under the draw rules that count moves (25 of each side with kings alone; 16 with three
 * pieces against a king; 5 with one or two), "plies" of them counted already, as the number after :H in
 * a FEN. One of the numbers above, or MEERSLAG_ERROR. plies_left, which may be null, takes the plies to
 * a draw if nothing lets the counter begin again. Exact with databases of the type "rules" beside those
 * of win/loss/draw; with others as far as distances and a small search tell.
 */
int meerslag_probe_category(const MEERSLAG_PROBE *probe, const EGDB_POSITION *position, int color,
                            int plies, int *plies_left);

/* Null is allowed. */
void meerslag_probe_free(MEERSLAG_PROBE *probe);

#ifdef __cplusplus
} /* extern "C" */
} /* namespace egdb_interface */
#endif

#endif
