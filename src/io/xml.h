// Texts in XML 1.0.
#ifndef RBL_IO_XML_H
#define RBL_IO_XML_H

#include "io/file.h"

// Whether XML can hold a text: UTF-8 without control characters.
bool rbl_xml_can_hold(const char* text);

// A text between tags or quotes. What XML cannot hold becomes a question mark.
void rbl_write_xml(rblWriter* writer, const char* text);

#endif
