import { createRoot } from 'react-dom/client'
import { createTokenwire } from 'tokenwire/client'
import { formatCompact, formatPrice } from 'tokenwire/client/format'
import { createLive } from 'tokenwire/client/live'
import { useConnectionState, useList } from 'tokenwire/client/react'

/* A React page for a bundler such as Vite: the ten tokens that trend, in order, live. `#<service>` says where the service is. */

const tokenwire = createTokenwire({ url: location.hash.slice(1) || 'http://localhost:3000' })
const live = createLive(tokenwire)

function Leaderboard() {
  const { data: list, error, isLoading } = useList(live, { sort: 'trending', limit: 10 })
  const connection = useConnectionState(tokenwire)
  if (isLoading) return <p>{connection}</p>
  if (list === undefined) return <p role="alert">{error.message}</p>
  return (
    <ol>
      {list.data.map(({ address, symbol, priceWeth, marketCapWeth, priceChange1h }) => (
        // The key moves a row with its token.
        <li key={address}>
          <b>{symbol ?? address}</b> Ξ{formatPrice(priceWeth)}, market cap Ξ{formatCompact(marketCapWeth)}, {priceChange1h ?? '–'} % in an
          hour
        </li>
      ))}
    </ol>
  )
}

createRoot(document.getElementById('app')).render(<Leaderboard />)
