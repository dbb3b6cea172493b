// The part of XML that VTU files need: tags and their attributes, in a text that is read once from begin to end.
#ifndef RBL_IO_TETS_XML_H
#define RBL_IO_TETS_XML_H

#include "io/tets/tets_files.h"

// A part of the text.
typedef struct rblXmlText
{
    const char* begin;
    const char* end;
} rblXmlText;

typedef struct rblXml
{
    const rblSource* source;
    const char* at; // the next tag is searched from here
    const char* end;
} rblXml;

typedef struct rblXmlTag
{
    rblXmlText name; // with a leading slash for a closing tag
    rblXmlText attributes;
    bool empty; // the tag closes itself
} rblXmlTag;

bool rbl_xml_text_is(rblXmlText text, const char* word);

// The first place of a word; null: none.
const char* rbl_xml_find(const char* at, const char* end, const char* word);

// The next tag; comments and declarations are skipped. `found` is false at the end.
rblResult rbl_xml_next_tag(rblXml* xml, rblXmlTag* tag, bool* found);

// The value between quotes; empty when the attribute is missing.
rblXmlText rbl_xml_attribute(const rblXmlTag* tag, const char* name);

// The value of an attribute that must be a whole number, 0 or more.
rblResult rbl_xml_count_attribute(const rblXml* xml, const rblXmlTag* tag, const char* name, uint64_t* out);

#endif
