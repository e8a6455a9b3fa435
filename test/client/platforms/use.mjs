import { createTokenwire, unwrap } from 'tokenwire/client'
import { createLive } from 'tokenwire/client/live'

/** Reads a token, then waits for its state and its trades over a connection. */
export async function use() {
  const client = createTokenwire({ url: process.env.SERVICE })
  const { name } = unwrap(await client.token(process.env.TOKEN))
  const { value: state } = await client.watch(process.env.TOKEN).next()
  const { value: event } = await createLive(client).trades().next()
  client.close()
  return [name, state.token.name, event.type]
}
