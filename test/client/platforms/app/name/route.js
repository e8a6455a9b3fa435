import { createTokenwire, unwrap } from 'tokenwire/client'

const client = createTokenwire({ url: process.env.SERVICE })

export async function GET() {
  const { name } = unwrap(await client.token(process.env.TOKEN))
  return new Response(name)
}
