// Opens a socket of the virtual machine family, which ignores network namespaces and reaches the hypervisor. Nothing is sent. Argument: PROOF-FILE
#include "attack.h"
#include <sys/socket.h>
#include <linux/vm_sockets.h>

int main(int count, char **words) {
  attempting(count, 1);
  int talker = socket(AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (talker < 0) refused("socket");
  struct sockaddr_vm address = {.svm_family = AF_VSOCK, .svm_cid = VMADDR_CID_ANY, .svm_port = VMADDR_PORT_ANY};
  if (bind(talker, (struct sockaddr *)&address, sizeof address) != 0) refused("bind");
  write_proof(words[1], "bound in the machine's own address space");
  return 0;
}
