import { createTokenwire, unwrap } from 'tokenwire/client'
import * as hooks from 'tokenwire/client/react'
import { Name } from './name.jsx'

const client = createTokenwire({ url: process.env.SERVICE })

export default async function Page() {
  const token = unwrap(await client.token(process.env.TOKEN))
  return (
    <main>
      <p>{`server: ${token.name}`}</p>
      <Name token={token} />
      <p>{`hooks: ${Object.keys(hooks).length > 0}`}</p>
    </main>
  )
}
