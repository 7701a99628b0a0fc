/*
 * An engine as its author would have written it for the Kingsrow driver, and a user of our own
 * functions. Usage: engine WLD MTC DTW < positions; each line is "black white king color" in
 * hexadecimal, each answer a line of numbers that the test compares.
 */
#include "egdb.h"

#include <inttypes.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(EGDB_POSITION) == 24, "position");
_Static_assert(offsetof(EGDB_POSITION, king) == 16, "king");
_Static_assert(sizeof(EGDB_STATS) == 28, "stats");
_Static_assert(offsetof(EGDB_STATS, db_requests) == 12, "requests");
_Static_assert(offsetof(EGDB_STATS, avg_ht_list_length) == 24, "length");
_Static_assert(sizeof(EGDB_VERIFY_MSGS) == 320, "messages");
_Static_assert(offsetof(EGDB_VERIFY_MSGS, no_errors) == 240, "no errors");
_Static_assert(sizeof(EGDB_TYPE) == sizeof(int), "enum");
_Static_assert(sizeof(EGDB_DRIVER) == 7 * sizeof(void *), "driver");
_Static_assert(offsetof(EGDB_DRIVER, get_pieces) == 5 * sizeof(void *), "order");
_Static_assert(offsetof(EGDB_DRIVER, internal_data) == 6 * sizeof(void *), "data");

static int messages;
static char last_message[512];

static void message(const char *text) {
    messages++;
    snprintf(last_message, sizeof last_message, "%s", text);
}

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "line %d: %s (%s)\n", __LINE__, #condition, meerslag_last_error());    \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

typedef struct {
    EGDB_DRIVER *driver;
    const EGDB_POSITION *positions;
    const int *colors;
    const int *expected;
    int count;
    int wrong;
} WORK;

static void *work(void *argument) {
    WORK *w = argument;
    for (int round = 0; round < 20; round++)
        for (int i = 0; i < w->count; i++)
            if (egdb_lookup(w->driver, &w->positions[i], w->colors[i], 0) != w->expected[i])
                w->wrong++;
    return NULL;
}

/* Bad arguments give errors, nothing else. */
static void misuse(EGDB_DRIVER *wld, EGDB_DRIVER *mtc) {
    EGDB_POSITION good = {1, (EGDB_BITBOARD)1 << 53, 1}, bad;
    int a = 77, b = 77, c = 77, d = 77;
    EGDB_TYPE type = EGDB_WLD_HUFFMAN;

    messages = 0;
    CHECK(egdb_open(NULL, 10, "/no/such/folder", message) == NULL && messages == 1);
    CHECK(strstr(last_message, "/no/such/folder") != NULL);
    CHECK(last_message[strlen(last_message) - 1] == '\n');
    CHECK(strncmp(last_message, meerslag_last_error(), strlen(last_message) - 1) == 0);
    CHECK(egdb_open(NULL, 10, NULL, NULL) == NULL);
    CHECK(strstr(meerslag_last_error(), "null") != NULL);
    CHECK(egdb_open("backend = tape", 10, ".", NULL) == NULL);
    CHECK(strstr(meerslag_last_error(), "tape") != NULL);
    CHECK(egdb_open(NULL, -1, ".", NULL) == NULL);
    CHECK(egdb_identify("/no/such/folder", &type, &a) != 0);
    CHECK(egdb_identify(NULL, &type, &a) != 0 && egdb_identify(".", NULL, &a) != 0);
    CHECK(type == EGDB_WLD_HUFFMAN && a == 77);

    CHECK(egdb_lookup(NULL, &good, EGDB_BLACK, 0) == EGDB_SUBDB_UNAVAILABLE);
    CHECK(egdb_lookup(wld, NULL, EGDB_BLACK, 0) == EGDB_SUBDB_UNAVAILABLE);
    CHECK(egdb_lookup(mtc, NULL, EGDB_BLACK, 0) == MTC_UNKNOWN);
    CHECK(egdb_lookup(wld, &good, 2, 0) == EGDB_SUBDB_UNAVAILABLE);
    CHECK(strstr(meerslag_last_error(), "color 2") != NULL);
    bad = good;
    bad.black |= (EGDB_BITBOARD)1 << 10; /* a ghost bit */
    CHECK(egdb_lookup(wld, &bad, EGDB_BLACK, 0) == EGDB_SUBDB_UNAVAILABLE);
    bad = good;
    bad.white = bad.black; /* two pieces on a square */
    CHECK(egdb_lookup(wld, &bad, EGDB_BLACK, 0) == EGDB_SUBDB_UNAVAILABLE);
    memset(&bad, 0xff, sizeof bad);
    CHECK(egdb_lookup(wld, &bad, EGDB_BLACK, 0) == EGDB_SUBDB_UNAVAILABLE);

    CHECK(egdb_close(NULL) != 0);
    CHECK(egdb_verify(NULL, message, NULL, NULL) < 0);
    CHECK(egdb_get_pieces(NULL, &a, &b) != 0 && egdb_get_pieces(wld, NULL, &b) != 0);
    CHECK(wld->get_pieces(wld, &a, &b, NULL, &d) != 0);
    CHECK(egdb_get_stats(NULL) == NULL);
    CHECK((int)egdb_get_type(NULL) == -1);
    CHECK(!is_wld(NULL) && !is_dtw(NULL) && !is_mtc(NULL));
    egdb_reset_stats(NULL);
    CHECK(meerslag_probe_add(NULL, wld) == MEERSLAG_ERROR);
    CHECK(meerslag_probe_wld(NULL, &good, EGDB_BLACK) == MEERSLAG_ERROR);
    CHECK(meerslag_probe_category(NULL, &good, EGDB_BLACK, 0, NULL) == MEERSLAG_ERROR);
    meerslag_probe_free(NULL);
    (void)c;
}

int main(int argc, char **argv) {
    EGDB_TYPE type;
    EGDB_DRIVER *drivers[3];
    MEERSLAG_PROBE *probe;
    int max_pieces, one_side, kings9, kings8, abort_flag = 0;
    EGDB_VERIFY_MSGS msgs = {"is damaged", "is good", "bad", "all good"};
    static EGDB_POSITION positions[4096];
    static int colors[4096], expected[4096];
    int count = 0;

    CHECK(argc == 4);
    probe = meerslag_probe_new();
    CHECK(probe != NULL);
    for (int i = 0; i < 3; i++) {
        CHECK(egdb_identify(argv[i + 1], &type, &max_pieces) == 0 && max_pieces == 3);
        CHECK(type == (i == 0 ? EGDB_WLD_TUN_V2 : i == 1 ? EGDB_MTC_RUNLEN : EGDB_DTW));
        drivers[i] = egdb_open(i == 2 ? NULL : " maxpieces = 3 ; ", 50, argv[i + 1], message);
        CHECK(drivers[i] != NULL && egdb_get_type(drivers[i]) == type);
        CHECK(is_wld(drivers[i]) == (i == 0));
        CHECK(is_mtc(drivers[i]) == (i == 1));
        CHECK(is_dtw(drivers[i]) == (i == 2));
        CHECK(meerslag_probe_add(probe, drivers[i]) == 0);
    }
    misuse(drivers[0], drivers[1]);

    CHECK(egdb_get_pieces(drivers[0], &max_pieces, &one_side) == 0);
    CHECK(max_pieces == 3 && one_side == 2);
    CHECK(drivers[0]->get_pieces(drivers[0], &max_pieces, &one_side, &kings9, &kings8) == 0);
    CHECK(max_pieces == 3 && one_side == 2 && kings9 == 0 && kings8 == 0);

    messages = 0;
    CHECK(egdb_verify(drivers[0], message, &abort_flag, &msgs) == 0);
    CHECK(messages == 5 && strcmp(last_message, "all good\n") == 0);
    abort_flag = 1;
    CHECK(drivers[0]->verify(drivers[0], message, &abort_flag, &msgs) == -1);
    CHECK(strstr(meerslag_last_error(), "abort") != NULL);

    /* Options that nobody knows are named, and that is all. */
    messages = 0;
    {
        EGDB_DRIVER *other = egdb_open("speed = 9; backend = cache", 50, argv[1], message);
        CHECK(other != NULL && messages == 2 && egdb_close(other) == 0);
    }

    drivers[0]->reset_stats(drivers[0]);
    while (count < 4096 &&
           scanf("%" SCNx64 " %" SCNx64 " %" SCNx64 " %d", &positions[count].black,
                 &positions[count].white, &positions[count].king, &colors[count]) == 4) {
        EGDB_POSITION *p = &positions[count];
        int color = colors[count];
        expected[count] = drivers[0]->lookup(drivers[0], p, color, 0);
        int plies_left = 0;
        int category = meerslag_probe_category(probe, p, color, 9, &plies_left);
        printf("%d %d %d %d %d %d %d %d\n", expected[count], egdb_lookup(drivers[1], p, color, 0),
               egdb_lookup(drivers[2], p, color, 0), meerslag_probe_wld(probe, p, color),
               meerslag_probe_mtc(probe, p, color), meerslag_probe_dtw(probe, p, color), category,
               plies_left);
        count++;
    }
    CHECK(count > 100);
    CHECK(drivers[0]->get_stats(drivers[0])->db_requests > 0);
    CHECK(egdb_get_stats(drivers[0])->autoload_hits > 0);
    egdb_reset_stats(drivers[0]);
    CHECK(egdb_get_stats(drivers[0])->db_requests == 0);

    {
        pthread_t threads[4];
        WORK works[4];
        for (int t = 0; t < 4; t++) {
            WORK w = {drivers[0], positions, colors, expected, count, 0};
            works[t] = w;
            CHECK(pthread_create(&threads[t], NULL, work, &works[t]) == 0);
        }
        for (int t = 0; t < 4; t++) {
            pthread_join(threads[t], NULL);
            CHECK(works[t].wrong == 0);
        }
    }

    /* The probe keeps what it needs. */
    CHECK(egdb_close(drivers[0]) == 0 && drivers[1]->close(drivers[1]) == 0);
    CHECK(egdb_close(drivers[2]) == 0);
    CHECK(meerslag_probe_wld(probe, &positions[0], colors[0]) != MEERSLAG_ERROR);
    meerslag_probe_free(probe);
    return 0;
}
