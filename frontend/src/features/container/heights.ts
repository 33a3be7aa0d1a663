/** Plots with their axes; skeleton and empty state take the same room, so that nothing moves. */
export const HEIGHTS_PX = { latency: 176, waits: 140, preemptions: 108, throttling: 108 }
