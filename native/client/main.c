// client OTHERWISE sandbox exec ...: one more command in an open sandbox, without starting Node. What it does not understand, and whatever keeps it
// from asking, is left to the shell script OTHERWISE, which is given the same words.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include "../cleanup.h"
#include "command-line.h"
#include "hear.h"
#include "place.h"
#include "relay.h"
#include "report.h"
#include "request.h"
#include "signals.h"
#include "terminal.h"
#include "text.h"

extern char **environ;

enum { STATUS_USAGE = 2, STATUS_INTERNAL = 125 };

// Nothing that we open may come to lie where a standard stream is missing.
static void fill_standard_streams(void) {
  int fd = 0;
  while (fd >= 0 && fd <= STDERR_FILENO) fd = open("/dev/null", O_RDWR);
  if (fd > STDERR_FILENO) close(fd);
}

static int connect_to(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) return -1;
  strcpy(address.sun_path, path);
  const int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connection < 0) return -1;
  if (connect(connection, (struct sockaddr *)&address, sizeof address) == 0) return connection;
  cleanup_close(&connection);
  return -1;
}

// Its own terminal when all of ours are terminals. Output that a terminal of ours shows without one has to be filtered: somebody else does that.
static bool choose_terminal(const struct command_line *line, bool *has_terminal) {
  if (terminal_is_elsewhere()) return false;
  const bool out = isatty(STDOUT_FILENO), err = isatty(STDERR_FILENO);
  *has_terminal = line->terminal == TERMINAL_YES || (line->terminal == TERMINAL_AS_OURS && out && err && isatty(STDIN_FILENO));
  return *has_terminal || (!out && !err);
}

// Nothing comes of the null device, which is what an agent's shell mostly gives: who says so at once spares two frames.
static bool has_input(void) {
  struct stat found;
  return fstat(STDIN_FILENO, &found) != 0 || !S_ISCHR(found.st_mode) || found.st_rdev != makedev(1, 3);
}

static bool find_directory(const struct command_line *line, char directory[PATH_MAX]) {
  const char *asked = line->directory == NULL ? "." : line->directory;
  // What leads up from a link means another place to who looks at the name alone.
  return strstr(asked, "..") == NULL && realpath(asked, directory) != NULL && text_is_utf8(directory);
}

static uint8_t *prepare(const struct command_line *line, const struct place *place, const struct relay_options *options, size_t *length) {
  char directory[PATH_MAX];
  uint8_t token[DOOR_SIZE_TOKEN_BYTES];
  if (!find_directory(line, directory) || !place_token(place, line->sandbox, token)) return NULL;
  const struct terminal_size size = terminal_size();
  const struct request request = {
    .line = line,
    .directory = directory,
    .variables = environ,
    .token = token,
    .flags = DOOR_EXEC_TELLS_ASKED | (options->has_terminal ? DOOR_EXEC_PTY : 0) | (options->has_input ? 0 : DOOR_EXEC_NO_INPUT) |
             (options->is_for_chinese ? DOOR_EXEC_CHINESE : 0),
    .rows = size.rows,
    .columns = size.columns,
  };
  return request_frames(&request, length);
}

// @returns the exit code, or -1 when nothing was asked of anybody
static int ask(const struct command_line *line) {
  static struct place place;
  static struct hearing hearing;
  struct relay_options options = {.has_input = has_input(), .is_for_chinese = text_is_for_chinese(line->language)};
  if (!choose_terminal(line, &options.has_terminal) || !place_find(&place)) return -1;
  AUTO_FREE uint8_t *request = prepare(line, &place, &options, &options.request_length);
  if (request == NULL) return -1;
  AUTO_CLOSE const int connection = connect_to(place.socket);
  if (connection < 0) return -1;
  AUTO_CLOSE const int signals = signals_hold();
  if (signals < 0) return -1;
  options.request = request;
  options.socket = connection;
  options.signals = signals;
  const struct relayed relayed = relay(&options, &hearing);
  if (relayed.end == RELAY_NOBODY) {
    signals_release();
    return -1;
  }
  signals_release_heard(); // a word that waits for its reader can be ended like the writing of any program
  return report(&relayed, &hearing, options.is_for_chinese);
}

int main(int argc, char **argv) {
  fill_standard_streams();
  if (argc < 2) {
    fputs("usage: client SCRIPT WORD... (by ./glovebox)\n", stderr);
    return STATUS_USAGE;
  }
  struct command_line line;
  const int code = command_line_read(argv + 2, (size_t)argc - 2, &line) ? ask(&line) : -1;
  if (code >= 0) return code;
  argv[0] = (char[]){"sh"};
  execv("/bin/sh", argv);
  fprintf(stderr, "glovebox: /bin/sh %s\n", strerrorname_np(errno));
  return STATUS_INTERNAL;
}
