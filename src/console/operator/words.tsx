/** What the words of this view mean, in the order in which they appear. */
const WORDS: readonly (readonly [word: string, meaning: string])[] = [
  ['Lag', 'How far the index is behind the newest confirmed block, in blocks and in time.'],
  ['Head, confirmed, indexed', 'The chain’s newest block, the newest one that may be indexed, and the newest one that is.'],
  ['Reorg', 'Blocks that the chain replaced, and the index with it; deep: how many.'],
  ['Backfill', 'Indexing of the blocks before the service began.'],
  ['Launchpads', 'How many are part of the index. backfilling: one is indexed beside it first; leaving: its tokens are about to go.'],
  ['WebSockets, event streams', 'Open connections of clients, of either kind.'],
  ['Subscriptions', 'What these connections follow: tokens and channels.'],
  ['Delivered, conflated', 'Updates that were sent, and those that a newer one replaced before a slow client could read them.'],
  ['Delivery p50, p99', 'Time from the commit to the socket: half of the updates were faster than p50, 99 % faster than p99.'],
  ['Loop', 'The event loop: how long the process could not react, because it was computing.'],
  ['Memory, heap', 'What the process takes of the machine, and what of it JavaScript’s objects take.'],
  ['Round trip', 'Time of the smallest request to the database.'],
  ['Blocks by', 'What brings committed blocks to a process: its own thread, PostgreSQL or NATS; behind: blocks that it has not shown yet.'],
  [
    'Actor',
    'What serves one watched token. activating: its state is read; live: it follows; resyncing: it is read again after trouble; passivated: it rests.',
  ],
  ['Lagging', 'Subscribers that are owed an update, because they read slowly.'],
  ['Sequence', 'The version of a token’s state. It only rises.'],
  ['Frame', 'Size of the newest encoded state.'],
  ['Events', 'What the actor has handled since it began.'],
]

export function Words() {
  return (
    <details class="card words">
      <summary>What the words mean</summary>
      <dl>
        {WORDS.map(([word, meaning]) => (
          <div key={word}>
            <dt>{word}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}
