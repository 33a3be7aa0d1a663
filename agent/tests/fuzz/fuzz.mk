# Included by agent/Makefile.
#   make fuzz [SECONDS=600] [ONLY=path]   libFuzzer on every parser of outside text, one after the other
# Its seeds and what it once found run in every `make test` (replay_test.c), with any compiler.
FUZZ_CC ?= $(firstword $(shell command -v clang-14 clang 2>/dev/null) clang)
FUZZ_SANITIZE := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
FUZZ_TARGET_SOURCES := $(filter-out tests/fuzz/entry.c tests/fuzz/replay_test.c,$(wildcard tests/fuzz/*.c))
FUZZ_ROOMS := $(filter src/base/% src/cgroup/% src/host/% src/wire/% src/config%,$(LIB_SOURCES))
FUZZ_OBJECTS := $(FUZZ_TARGET_SOURCES:%.c=$(OUT)/fuzz/%.o) $(OUT)/fuzz/tests/fuzz/entry.o
FUZZ_PROGRAM := $(OUT)/fuzz/nwfuzz
FUZZ_REPLAY := $(OUT)/asan/tests/fuzz/replay_test
SECONDS ?= 600

$(OUT)/fuzz/%.o: %.c Makefile tests/fuzz/fuzz.mk | $(SKELETONS) $(PROTO_H)
	$(call say,CC fuzz,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(FUZZ_CC) $(CPPFLAGS) $(CFLAGS_ALL) $(FUZZ_SANITIZE) -fsanitize=fuzzer-no-link -MD -MP -c $< -o $@

$(OUT)/fuzz/libnwagent.a: $(FUZZ_ROOMS:%.c=$(OUT)/fuzz/%.o)
	$(Q)rm -f $@ && ar rcs $@ $^

$(FUZZ_PROGRAM): $(FUZZ_OBJECTS) $(OUT)/fuzz/libnwagent.a
	$(call say,LINK,$@)
	$(Q)$(FUZZ_CC) $(FUZZ_SANITIZE) -fsanitize=fuzzer $^ $(PKG_LIBS) -o $@

$(FUZZ_REPLAY): $(OUT)/asan/tests/fuzz/replay_test.o $(FUZZ_TARGET_SOURCES:%.c=$(OUT)/asan/%.o) $(LIB_ASAN)
	$(Q)$(CC) $(SANITIZE) $^ $(PKG_LIBS) -o $@

.PHONY: fuzz
fuzz: $(FUZZ_PROGRAM)
	$(Q)tests/fuzz/run.sh $(FUZZ_PROGRAM) $(SECONDS) $(OUT)/fuzz '$(ONLY)'
