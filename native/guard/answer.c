// Sends answers. One that finds the caller gone is dropped: whoever waited was killed.
#define _GNU_SOURCE
#include "answer.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "mediator.h"
#include "waiting.h"

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

static void respond(const struct caller *caller, int error, bool by_kernel) {
  struct seccomp_notif_resp response = {.id = caller->id, .error = -error};
  if (by_kernel) response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  ioctl(caller->listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

static void send_descriptor(const struct caller *caller, const struct answer *answer) {
  struct seccomp_notif_addfd add = {
      .id = caller->id,
      .flags = SECCOMP_ADDFD_FLAG_SEND,
      .srcfd = (uint32_t)answer->descriptor,
      .newfd_flags = answer->close_on_exec ? O_CLOEXEC : 0,
  };
  const bool taken = ioctl(caller->listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add) >= 0;
  const int error = errno;
  close(answer->descriptor);
  if (answer->is_pointer) pointer_delivered();
  if (!taken) respond(caller, error, false); // the caller's descriptors are used up
}

void answer_send(const struct caller *caller, const struct answer *answer) {
  switch (answer->kind) {
    case ANSWER_CONTINUE:
      respond(caller, 0, true);
      return;
    case ANSWER_ERROR:
      respond(caller, answer->error, false);
      return;
    case ANSWER_DESCRIPTOR:
      send_descriptor(caller, answer);
      return;
    case ANSWER_LATER:
      return;
  }
}
