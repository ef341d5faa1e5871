// What the thin client says itself. Generated from src/texts/catalogue and src/contracts by `npm run generate`: do not edit.
#ifndef GLOVEBOX_CLIENT_WORDS_H
#define GLOVEBOX_CLIENT_WORDS_H

#define CLIENT_VERSION "0.1.0"

struct failure {
  int exit_code;
  const char *code, *message, *hint;
};

struct sentences {
  const char *code, *next; // labels
  const char *asked;       // `%s`: the question's id
  struct failure lost, broken, unwritten; // `%s` of the last: an errno's name
};

static const struct sentences sentences_en = {
  .code = "code: ",
  .next = "next: ",
  .asked = "Waiting for a person at another terminal: glovebox approval approve %s",
  .lost = {125, "BROKER_UNAVAILABLE",
    "Cannot reach the broker any more: its connection ended",
    "See what became of its sandboxes with: glovebox sandbox ls"},
  .broken = {125, "BROKER_PROTOCOL",
    "Cannot go on with the broker: it broke its protocol (client)",
    "End it with: glovebox broker --stop"},
  .unwritten = {125, "RESULT_UNWRITABLE",
    "Cannot write the output: %s; the command, if one ran, was ended",
    "Free space where the output goes, or send it elsewhere; what ran is in: glovebox ledger ls"},
};

static const struct sentences sentences_zh = {
  .code = "\344\273\243\347\240\201\357\274\232",
  .next = "\344\270\213\344\270\200\346\255\245\357\274\232",
  .asked = "\347\255\211\345\276\205\345\217\246\344\270\200\347\273\210\347\253\257\344\270\212\347\232\204\344\272\272\345\221\230\347\255\224\345\244\215\357\274\232glovebox approval approve %s",
  .lost = {125, "BROKER_UNAVAILABLE",
    "\346\227\240\346\263\225\345\206\215\350\277\236\346\216\245\347\273\217\347\272\252\350\277\233\347\250\213\357\274\232\350\277\236\346\216\245\345\267\262\346\226\255\345\274\200",
    "\347\224\250 glovebox sandbox ls \346\237\245\347\234\213\345\205\266\346\262\231\347\256\261\347\232\204\347\212\266\345\206\265"},
  .broken = {125, "BROKER_PROTOCOL",
    "\346\227\240\346\263\225\347\273\247\347\273\255\344\270\216\347\273\217\347\272\252\350\277\233\347\250\213\351\200\232\344\277\241\357\274\232\345\256\203\350\277\235\345\217\215\344\272\206\345\215\217\350\256\256\357\274\210client\357\274\211",
    "\347\224\250 glovebox broker --stop \347\273\223\346\235\237\345\256\203"},
  .unwritten = {125, "RESULT_UNWRITABLE",
    "\346\227\240\346\263\225\345\206\231\345\205\245\350\276\223\345\207\272\357\274\232%s\357\274\233\350\213\245\346\234\211\345\221\275\344\273\244\345\234\250\350\277\220\350\241\214\357\274\214\345\267\262\345\260\206\345\205\266\347\273\223\346\235\237",
    "\350\257\267\345\234\250\350\276\223\345\207\272\346\211\200\345\234\250\345\244\204\350\205\276\345\207\272\347\251\272\351\227\264\357\274\214\346\210\226\346\224\271\347\224\250\345\210\253\345\244\204\357\274\233\350\277\220\350\241\214\350\256\260\345\275\225\350\247\201\357\274\232glovebox ledger ls"},
};

#endif
