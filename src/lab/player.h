/*
 * A recording of a MongoDB node that answers like one: for hosts where libwiredtiger, and so
 * wtnode, cannot be had. What it says was said by a real mongod, one serverStatus a second; at the
 * end it begins anew, which looks like a restart, and is one.
 */
#ifndef HOTSET_LAB_PLAYER_H
#define HOTSET_LAB_PLAYER_H

/*
 * Plays a gzip stream of BSON documents {serverStatus, currentOp: [...]} on a free port of
 * 127.0.0.1, and prints "listening on 127.0.0.1:PORT" first. Runs until it is killed; returns the
 * exit code of a failure. Forks a process for each connection.
 */
int player_run(const char *path);

#endif
