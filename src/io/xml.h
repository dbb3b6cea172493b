// Text in XML 1.0.
#ifndef RBL_IO_XML_H
#define RBL_IO_XML_H

#include "io/file.h"

// Whether a text is allowed in XML: UTF-8 without control characters.
bool rbl_xml_can_hold(const char* text);

// Write a text between tags or quotes. Characters that XML does not allow become question marks.
void rbl_write_xml(rblWriter* writer, const char* text);

#endif
