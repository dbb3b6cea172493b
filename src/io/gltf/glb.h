// The GLB container (glTF 2.0, section 4.4). All numbers are little-endian.
#ifndef RBL_IO_GLTF_GLB_H
#define RBL_IO_GLTF_GLB_H

#define RBL_GLB_MAGIC             0x46546C67u // "glTF"
#define RBL_GLB_VERSION           2u
#define RBL_GLB_JSON              0x4E4F534Au // "JSON"
#define RBL_GLB_BIN               0x004E4942u // "BIN"
#define RBL_GLB_HEADER_SIZE       12u
#define RBL_GLB_CHUNK_HEADER_SIZE 8u

#endif
