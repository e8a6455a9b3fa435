import { signal } from '@preact/signals'
import { render } from 'preact'

const n = signal(0)
const chart = () => import('lightweight-charts').then(m => m.createChart(document.body))
render(<p onClick={chart}>{n}</p>, document.body)
