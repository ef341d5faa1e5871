// Checks of text.
#ifndef GLOVEBOX_CLIENT_TEXT_H
#define GLOVEBOX_CLIENT_TEXT_H

#include <stdbool.h>

// Well-formed UTF-8 (RFC 3629).
bool text_is_utf8(const char *text);

// Whether the person reads Chinese: what was asked for, else LC_ALL, LC_MESSAGES, LANG; the first that is not empty decides.
bool text_is_for_chinese(const char *asked);

#endif
