// Makes a BPF map. Argument: PROOF-FILE
#include "attack.h"
#include <linux/bpf.h>

int main(int count, char **words) {
  attempting(count, 1);
  union bpf_attr attributes = {0};
  attributes.map_type = BPF_MAP_TYPE_ARRAY;
  attributes.key_size = 4;
  attributes.value_size = 4;
  attributes.max_entries = 1;
  if (syscall(SYS_bpf, BPF_MAP_CREATE, &attributes, sizeof attributes) < 0) refused("bpf");
  write_proof(words[1], "mapped");
  return 0;
}
