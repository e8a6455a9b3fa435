'use client'
import { createTokenwire } from 'tokenwire/client'
import { useToken } from 'tokenwire/client/react'

// Also run by the server, which has no page that the address could be relative to.
const client = createTokenwire({ url: '/' })

export function Name({ token }) {
  const { data } = useToken(client, token.address, token)
  return <p>{`browser: ${data.token.name}`}</p>
}
