"""Generated from agent/proto by scripts/gen_proto.sh; never edited."""
