// What a peer is asked to do, and what it answers.
#ifndef RBL_BENCH_PEERS_H
#define RBL_BENCH_PEERS_H

// Seconds of a clock that never goes back.
double peer_seconds(void);

// Print the one line that rubble-peers answers with.
void peer_answer(const char* name, double milliseconds, double count);

// Read a file `repeats` times. 0 when done, otherwise the program's exit code.
int peer_assimp(const char* path, int repeats);

#endif
