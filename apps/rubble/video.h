// Frames into a video file, with the ffmpeg program of this machine.
#ifndef RUBBLE_TOOL_VIDEO_H
#define RUBBLE_TOOL_VIDEO_H

#include "rubble/result.h"
#include <stdbool.h>

// Whether there is one. Otherwise the message says what to install and what can be done without.
rblResult video_check(void);

// Encode FOLDER/frame_00000.png ... at `rate` frames a second into an MP4 or GIF file, which is replaced whole or not at all.
rblResult video_encode(const char* folder, double rate, const char* path, bool gif);

#endif
