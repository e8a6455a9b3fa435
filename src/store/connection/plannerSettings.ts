/**
 * What every plan of the service is made for, whatever the server is set to. Its queries read a few pages each, most of them in memory: at PostgreSQL's
 * own price of a page, which is that of a disk that turns, it reads whole tables instead. They take milliseconds, which compiling them would multiply.
 */
export const PLANNER_SETTINGS = { random_page_cost: '1.1', jit: 'off' } as const
