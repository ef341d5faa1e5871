// Sends answers. One that finds the caller gone is dropped: whoever waited was killed.
#define _GNU_SOURCE
#include "answer.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "mediator.h"
#include "pointer.h"

struct answer answer_result(long result) {
  return answer_error(result == 0 ? 0 : errno);
}

struct answer answer_refusal(const struct place *place, uint32_t call, uint32_t rule) {
  mediator_report(place->path, call, rule, EACCES);
  return answer_error(EACCES);
}

struct answer answer_judgement(const struct place *place, uint32_t call, enum place_kind kind) {
  return answer_refusal(place, call, place_rule(kind));
}

static void respond(const struct caller *caller, int error, long value) {
  struct seccomp_notif_resp response = {.id = caller->id, .error = -error, .val = value};
  ioctl(caller->listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

static void respond_by_kernel(const struct caller *caller) {
  struct seccomp_notif_resp response = {.id = caller->id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
  ioctl(caller->listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

static void send_descriptor(const struct caller *caller, const struct answer *answer) {
  struct seccomp_notif_addfd add = {
      .id = caller->id,
      .flags = SECCOMP_ADDFD_FLAG_SEND | (answer->number > 0 ? SECCOMP_ADDFD_FLAG_SETFD : 0),
      .srcfd = (uint32_t)answer->descriptor,
      .newfd = (uint32_t)answer->number,
      .newfd_flags = answer->close_on_exec ? O_CLOEXEC : 0,
  };
  const bool taken = ioctl(caller->listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add) >= 0;
  const int error = errno == EBADF ? EMFILE : errno; // a number beyond the caller's limit
  close(answer->descriptor);
  if (answer->is_pointer) pointer_delivered();
  if (!taken) respond(caller, error, 0); // the caller's descriptors are used up
}

void answer_send(const struct caller *caller, const struct answer *answer) {
  switch (answer->kind) {
    case ANSWER_CONTINUE:
      respond_by_kernel(caller);
      return;
    case ANSWER_ERROR:
      respond(caller, answer->error, answer->error == 0 ? answer->value : 0);
      return;
    case ANSWER_DESCRIPTOR:
      send_descriptor(caller, answer);
      return;
    case ANSWER_LATER:
      return;
  }
}
