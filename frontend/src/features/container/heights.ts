/** Plots with their axes; skeleton and empty state take the same room, so that nothing moves. */
export const HEIGHTS_PX = { latency: 176, preemptions: 126, throttling: 108 }
