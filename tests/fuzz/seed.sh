#!/bin/sh
# Fills the corpora of the fuzz targets from the data of the repository. Run from its root.
set -eu
corpus=tests/fuzz/corpus
mkdir -p "$corpus/fen" "$corpus/hub_line" "$corpus/hub_session" "$corpus/hub_text" "$corpus/move_text" "$corpus/pdn"

# pdn: the example files.
cp positions/pdn/*.pdn "$corpus/pdn/"

# fen: one file for each distinct FEN of the data files, at most 500.
n=0
cat positions/pdn/*.pdn positions/*.tsv positions/*.fen engine/*/data/*.fen |
    grep -o '[WB]:[WB][0-9K,-]*:[WB][0-9K,-]*' | sort -u | head -n 500 |
    while read -r fen; do
        n=$((n + 1))
        printf '%s' "$fen" >"$corpus/fen/seed-$n"
        # move_text: the same with a few moves in every dialect.
        printf '%s\n30x39x11x2\n32 - 28! 19–23\n28:19 <23> (?)\n3228' "$fen" \
            >"$corpus/move_text/seed-$n"
    done
for text in '[FEN "w: wk5, 7 ; bk46 ."]' 'B:WK1-K5,30:B45:H12:F34' 'W%3AW31%2C32%3AB1' \
    '?:WG12,30:BP18:+0+0' 'Wzzzzzzzzzzzzzzzzzzzzeeeeeeeeeewwwwwwwwwwwwwwwwwwww'; do
    printf '%s' "$text" >"$corpus/fen/form-$(printf '%s' "$text" | cksum | cut -d' ' -f1)"
done

# hub_text: positions with moves.
printf 'Wbbbbbbbbbbbbbbbbbbbbeeeeeeeeeewwwwwwwwwwwwwwwwwwww\n32-28\n032-28\n28x19x23\n28-19' \
    >"$corpus/hub_text/initial"
printf 'BeeeeebeeeeeeeeWeeeeeeeeeeeeweeeeeeeeeeeeeeeeeBeeee\n46x23x28\n15-47\n46x28x23x23' \
    >"$corpus/hub_text/kings"

# hub_line and hub_session: one line of every command, and sessions.
n=0
while IFS= read -r line; do
    n=$((n + 1))
    printf '%s' "$line" >"$corpus/hub_line/seed-$n"
    printf 'hub\ninit\n%s\nlevel depth=2\ngo think\nstop\nquit\n' "$line" \
        >"$corpus/hub_session/seed-$n"
done <<'END'
hub
set-param name="bb-path" value="C:\\a b"
set-param name=move-overhead value=0,5
set-param name = threads value = 2
new-game
pos pos=Wbbbbbbbbbbbbbbbbbbbbeeeeeeeeeewwwwwwwwwwwwwwwwwwww moves="32-28 19-23 28x19x23"
pos start
level moves=75 time=300.000 inc=1e-05
level infinite
go analyze
go ponder
ponder-hit
ping
END

# egdb_*: small databases of every type.
cargo run --quiet --release -p meerslag-egdb-build --example fuzz_seeds -- "$corpus"
