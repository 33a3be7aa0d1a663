#include "report.h"

static void number(FILE *to, const char *key, uint64_t value)
{
	fprintf(to, "\"%s\": %llu, ", key, (unsigned long long)value);
}

static void shares(FILE *to, const struct parties *parties, const char *key,
		   const uint64_t ns[MAX_PARTIES], const char *after)
{
	const char *between = "";

	fprintf(to, "\"%s\": {", key);
	for (size_t i = 0; i < parties->n; i++) {
		if (ns[i] == 0)
			continue;
		fprintf(to, "%s\"%s\": %llu", between, parties->names[i],
			(unsigned long long)ns[i]);
		between = ", ";
	}
	fprintf(to, "}%s", after);
}

static void write_ledger(const struct report *self, size_t party, FILE *to)
{
	const struct ledger *ledger = &self->ledgers[party];
	const struct parties *parties = &self->replay->parties;

	fprintf(to, "    \"%s\": {", parties->names[party]);
	number(to, "wait_ns", ledger->wait_ns);
	number(to, "migrated_wait_ns", ledger->migrated_wait_ns);
	number(to, "throttled_wait_ns", ledger->throttled_wait_ns);
	number(to, "unlocated_wait_ns", ledger->unlocated_wait_ns);
	number(to, "ran_ns", ledger->ran_ns);
	number(to, "waits", ledger->waits);
	number(to, "schedstat_ns", self->checked[party].kernel_ns);
	number(to, "checked_ns", self->checked[party].replay_ns);
	number(to, "check_off_ns", self->checked[party].off_ns);
	shares(to, parties, "blame_ns", ledger->blame_ns, ", ");
	shares(to, parties, "last_occupant_ns", ledger->last_occupant_ns, ", ");
	shares(to, parties, "switch_in_ns", ledger->switch_in_ns, ", ");
	shares(to, parties, "end_of_slice_ns", ledger->end_of_slice_ns, ", ");
	shares(to, parties, "occupancy_ns", ledger->occupancy_ns, "}");
}

void report_write(const struct report *self, FILE *to)
{
	const struct replay *replay = self->replay;

	fprintf(to, "{");
	number(to, "from_ns", self->from_ns);
	number(to, "to_ns", self->to_ns);
	number(to, "late_ns", self->late_ns);
	number(to, "dropped", self->header->dropped);
	number(to, "switches", replay->switches);
	number(to, "wakeups", replay->wakeups);
	number(to, "migrations", replay->migrations);
	number(to, "hidden_switches", replay->hidden_switches);
	number(to, "guessed_ns", replay->guessed_ns);
	number(to, "stamped_ns", replay->stamped_ns);
	number(to, "misstamped_ns", replay->misstamped_ns);
	fprintf(to, "\"parties\": {\n");
	for (size_t i = 0; i < replay->parties.n; i++) {
		write_ledger(self, i, to);
		fprintf(to, i + 1 < replay->parties.n ? ",\n" : "\n");
	}
	fprintf(to, "}}\n");
}
