const { createTokenwire, unwrap } = require('tokenwire/client')
const { createLive } = require('tokenwire/client/live')

/** Reads a token, then waits for its state and its trades over a connection. */
module.exports = async function use() {
  const client = createTokenwire({ url: process.env.SERVICE })
  const { name } = unwrap(await client.token(process.env.TOKEN))
  const { value: state } = await client.watch(process.env.TOKEN).next()
  const { value: event } = await createLive(client).trades().next()
  client.close()
  return [name, state.token.name, event.type]
}
