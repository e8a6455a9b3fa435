import type { Indexing } from '#worker/startIndexing.ts'

/** The view of the indexing thread, with problems of what else this process does. */
export function withProblems<View extends Pick<Indexing['view'], 'state'>>(view: View, problems: () => readonly string[]): View {
  return {
    ...view,
    state: () => {
      const state = view.state()
      return { ...state, problems: [...(state.problems ?? []), ...problems()] }
    },
  }
}
