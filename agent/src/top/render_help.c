#include "top/render_private.h"

static const char *const help[] = {
	"KEYS",
	"  q  quit                      p  pause the screen; measuring goes on",
	"  s  sort by another figure    v  victims, aggressors or both",
	"  1  windows of 1 s or 10 s    /  only names with this text in them (Esc: all)",
	"",
	"FIGURES are CPU seconds per second, in the last window.",
	"  DEMAND  ran + waited: who waits 0.50 of 1.00 runs at half its speed",
	"  NEIGHB  waited on a CPU while another container ran there",
	"  SYSTEM  ... while a cgroup that is no container ran there",
	"  THROTT  ... while its own CFS quota, or one of a level above, was used up",
	"  SELF    ... while another task of the same container ran there",
	"  IDLE    ... from wakeup to run on an idle CPU (wide terminals)",
	"  UNATTR  ... and the record does not reach (wide terminals)",
	"  P99     of all single waits: upper bound of a bucket, at most 25 % too high",
	"  RAN MEANWHILE  who ran longest meanwhile, and its share of NEIGHB + SYSTEM",
	"  MAINLY  the largest of NEIGHB, SYSTEM, THROTT and SELF. clear: none reaches",
	"          1 % of demand. unknown: UNATTR does, and is larger than they are.",
	"          This is arithmetic. Whether it is unusual, and whether it hurts, is",
	"          for the backend to judge.",
	"  STOLE   containers waited that long while this one ran; SHARE of all that",
	"          containers stole",
	"The agent's % CPU is of one CPU: its process and its programs in the kernel.",
};

/* The keys and the split stand first: a short terminal shows only those. */
void top_render_help(struct paint *paint, size_t max_rows)
{
	for (size_t i = 0; i < sizeof(help) / sizeof(help[0]) && i < max_rows; i++) {
		paint_text(paint, STYLE_PLAIN, help[i]);
		paint_end_line(paint);
	}
}
