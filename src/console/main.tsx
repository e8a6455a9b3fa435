import { render } from 'preact'
import { App } from './app.tsx'
import { startClocks } from './state/clock.ts'
import { applyPreferences } from './state/preferences.ts'
import { followAddress } from './state/route.ts'
import { startSession } from './state/session.ts'
import './style/tokens.css'
import './style/base.css'
import './style/controls.css'
import './style/tables.css'
import './style/shell.css'
import './style/shellNarrow.css'
import './style/searchBox.css'
import './style/filters.css'
import './style/liveStrip.css'
import './style/market.css'
import './style/token.css'
import './style/tokenLists.css'
import './style/distribution.css'

applyPreferences()
followAddress()
startClocks()
startSession()
const root = document.getElementById('root')
if (root !== null) render(<App />, root)
