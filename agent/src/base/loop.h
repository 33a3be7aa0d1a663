#pragma once

#include <signal.h>
#include <stdint.h>
#include <time.h>

/* One epoll loop: descriptors, timers and signals. Single-threaded, nothing sleeps. */
struct loop;

typedef void loop_callback(void *context, uint32_t events);

int loop_new(struct loop **ret);
void loop_free(struct loop *self);

/* `events` as in epoll_ctl(2). The descriptor stays the caller's. */
int loop_add(struct loop *self, int fd, uint32_t events, loop_callback *callback, void *context);
int loop_modify(struct loop *self, int fd, uint32_t events);
void loop_remove(struct loop *self, int fd);

/* Until loop_stop(), or until `deadline_ns` of CLOCK_MONOTONIC (0: none). */
int loop_run(struct loop *self, uint64_t deadline_ns);
void loop_stop(struct loop *self);

/* A timer that fires once. Freed by loop_timer_free. */
struct loop_timer;

int loop_timer_new(struct loop *self, clockid_t clock, loop_callback *callback, void *context,
		   struct loop_timer **ret);
void loop_timer_free(struct loop_timer *timer);

/* At an instant of the timer's clock. On CLOCK_REALTIME it also fires when the clock is set. */
int loop_timer_set(struct loop_timer *timer, uint64_t at_ns);
int loop_timer_set_after(struct loop_timer *timer, uint64_t delay_ns);
void loop_timer_clear(struct loop_timer *timer);

/* Takes the signals out of normal delivery; `callback` gets the number in `events`. */
int loop_add_signals(struct loop *self, const sigset_t *signals, loop_callback *callback,
		     void *context);

uint64_t clock_ns(clockid_t clock);
