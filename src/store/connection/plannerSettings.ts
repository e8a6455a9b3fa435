/**
 * The planner's settings on every connection. The service's queries read a few pages each, mostly from memory: with PostgreSQL's default
 * cost of a random page, that of a spinning disk, it would scan whole tables instead. They take milliseconds, which JIT compilation would
 * multiply.
 */
export const PLANNER_SETTINGS = { random_page_cost: '1.1', jit: 'off' } as const
