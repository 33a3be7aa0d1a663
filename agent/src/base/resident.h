#pragma once

/*
 * Gives back memory that only the past needed: free heap, and pages of program and libraries
 * that were read once. What is needed again comes back from the page cache by itself, at a
 * microsecond or less a page. For the ends of chapters (start, first connection), not for loops.
 */
int resident_trim(void);
