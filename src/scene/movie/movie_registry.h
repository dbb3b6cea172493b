// The object that an rblMovieId refers to (rubble/movie.h).
#ifndef RBL_SCENE_MOVIE_MOVIE_REGISTRY_H
#define RBL_SCENE_MOVIE_MOVIE_REGISTRY_H

#include "scene/movie/movie.h"
#include "scene/run/run_registry.h"

typedef struct rblMovieItem
{
    rblMovie movie;
    rblRunItem* run; // referenced
} rblMovieItem;

// The movie that an id refers to, or RBL_ERROR_STALE.
rblResult rbl_movie_find(rblMovieId id, rblMovieItem** out);

#endif
