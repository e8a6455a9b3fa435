--
-- PostgreSQL database dump
--

\restrict 0kALo7rfYGSWAGdnStExfNDZefk2gvBOQiUUIaiekPQEWnxQyVRRmZxZpWSK2aL

-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: tokenwire_logs; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA tokenwire_logs;


--
-- Name: pg_trgm; Type: EXTENSION; Schema: -; Owner: -
--

CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;


--
-- Name: EXTENSION pg_trgm; Type: COMMENT; Schema: -; Owner: -
--

COMMENT ON EXTENSION pg_trgm IS 'text similarity measurement and index searching based on trigrams';


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: announced_contract; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.announced_contract (
    address bytea NOT NULL,
    launchpad text NOT NULL,
    role text NOT NULL,
    created_block bigint NOT NULL,
    CONSTRAINT announced_contract_role_check CHECK ((role = ANY (ARRAY['contract'::text, 'module'::text])))
);


--
-- Name: balance; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.balance (
    token bytea NOT NULL,
    holder bytea NOT NULL,
    balance numeric NOT NULL,
    type text NOT NULL,
    last_changed_block bigint NOT NULL,
    buys integer DEFAULT 0 NOT NULL,
    sells integer DEFAULT 0 NOT NULL,
    bought_token numeric DEFAULT 0 NOT NULL,
    sold_token numeric DEFAULT 0 NOT NULL,
    bought_wei numeric,
    bought_usd numeric,
    sold_wei numeric,
    sold_usd numeric,
    cost_wei numeric,
    cost_usd numeric,
    realized_wei numeric,
    realized_usd numeric,
    first_trade_at bigint,
    last_buy_at bigint,
    last_sell_at bigint,
    classes smallint DEFAULT 0 NOT NULL,
    CONSTRAINT balance_type_check CHECK ((type = ANY (ARRAY['wallet'::text, 'creator'::text, 'pool'::text, 'curve'::text, 'locker'::text, 'burn'::text, 'contract'::text])))
);


--
-- Name: block; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.block (
    number bigint NOT NULL,
    hash bytea NOT NULL,
    parent_hash bytea NOT NULL,
    "timestamp" bigint NOT NULL,
    joined boolean DEFAULT false NOT NULL,
    revalued_to bytea
);


--
-- Name: candle; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.candle (
    token bytea NOT NULL,
    interval_seconds integer NOT NULL,
    "time" bigint NOT NULL,
    open numeric,
    high numeric,
    low numeric,
    close numeric,
    volume_wei numeric,
    trades integer NOT NULL,
    volume_token numeric,
    open_quote numeric,
    high_quote numeric,
    low_quote numeric,
    close_quote numeric,
    volume_quote numeric,
    open_usd numeric,
    high_usd numeric,
    low_usd numeric,
    close_usd numeric,
    volume_usd numeric,
    trades_usd integer NOT NULL,
    in_usd boolean GENERATED ALWAYS AS (((close_usd IS NOT NULL) OR NULLIF((close IS NULL), true))) STORED
)
WITH (autovacuum_vacuum_scale_factor='0.05', autovacuum_vacuum_insert_scale_factor='0.05');


--
-- Name: creator_fee; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.creator_fee (
    launchpad text NOT NULL,
    creator bytea NOT NULL,
    currency bytea NOT NULL,
    scope text NOT NULL,
    token bytea NOT NULL,
    accrued numeric,
    claimed numeric NOT NULL,
    last_changed_block bigint NOT NULL,
    claim_id numeric,
    CONSTRAINT creator_fee_scope_check CHECK ((scope = ANY (ARRAY['token'::text, 'creator'::text])))
);


--
-- Name: early_class; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.early_class (
    token bytea NOT NULL,
    class text NOT NULL,
    wallets integer NOT NULL,
    bought_token numeric NOT NULL,
    sold_token numeric NOT NULL,
    CONSTRAINT early_class_class_check CHECK ((class = ANY (ARRAY['creator'::text, 'sniper'::text, 'bundler'::text, 'insider'::text])))
);


--
-- Name: index_totals; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.index_totals (
    id smallint DEFAULT 1 NOT NULL,
    counted_at bigint NOT NULL,
    tokens integer NOT NULL,
    bonding integer NOT NULL,
    completed integer NOT NULL,
    migrated integer NOT NULL,
    liquidity_weth numeric NOT NULL,
    trades_h24 bigint NOT NULL,
    volume_h24 numeric NOT NULL,
    traders_h24 bigint NOT NULL,
    CONSTRAINT index_totals_id_check CHECK ((id = 1))
);


--
-- Name: launchpad_totals; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.launchpad_totals (
    launchpad text NOT NULL,
    tokens integer NOT NULL,
    bonding integer NOT NULL,
    completed integer NOT NULL,
    migrated integer NOT NULL,
    trades_h24 bigint NOT NULL,
    volume_h24 numeric NOT NULL
);


--
-- Name: pool; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.pool (
    address bytea NOT NULL,
    token bytea NOT NULL,
    launchpad text NOT NULL,
    type text NOT NULL,
    quote_token bytea NOT NULL,
    token_is_token0 boolean NOT NULL,
    fee_bps double precision,
    reserve_token numeric,
    reserve_quote numeric,
    sqrt_price_x96 numeric,
    tick integer,
    liquidity numeric,
    price numeric,
    created_block bigint NOT NULL,
    position_id numeric,
    last_changed_block bigint,
    positions_token numeric,
    positions_quote numeric,
    CONSTRAINT pool_type_check CHECK ((type = ANY (ARRAY['curve'::text, 'uniswap-v2'::text, 'uniswap-v3'::text, 'uniswap-v4'::text])))
);


--
-- Name: pool_tick; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.pool_tick (
    pool bytea NOT NULL,
    tick integer NOT NULL,
    liquidity numeric NOT NULL
);


--
-- Name: token; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.token (
    address bytea NOT NULL,
    launchpad text NOT NULL,
    symbol text,
    name text,
    decimals smallint NOT NULL,
    total_supply numeric NOT NULL,
    creator bytea NOT NULL,
    admin bytea,
    created_at bigint NOT NULL,
    created_block bigint NOT NULL,
    created_tx_hash bytea NOT NULL,
    metadata_uri text,
    image_uri text,
    image_url text,
    description text,
    main_pool bytea,
    quote_token bytea,
    quote_rate numeric,
    quote_usd numeric,
    price_weth numeric,
    price_quote numeric,
    event_price_weth numeric,
    first_price_weth numeric,
    ath_price_weth numeric,
    close_usd numeric,
    last_price_at bigint,
    market_cap_weth numeric,
    liquidity_weth numeric,
    trade_count integer NOT NULL,
    holder_count integer NOT NULL,
    last_trade_at bigint,
    volume_m5 numeric NOT NULL,
    buy_volume_m5 numeric NOT NULL,
    buys_m5 integer NOT NULL,
    sells_m5 integer NOT NULL,
    buyers_m5 integer NOT NULL,
    sellers_m5 integer NOT NULL,
    reference_price_m5 numeric,
    price_change_m5 double precision,
    volume_h1 numeric NOT NULL,
    buy_volume_h1 numeric NOT NULL,
    buys_h1 integer NOT NULL,
    sells_h1 integer NOT NULL,
    buyers_h1 integer NOT NULL,
    sellers_h1 integer NOT NULL,
    reference_price_h1 numeric,
    price_change_h1 double precision,
    volume_h6 numeric NOT NULL,
    buy_volume_h6 numeric NOT NULL,
    buys_h6 integer NOT NULL,
    sells_h6 integer NOT NULL,
    buyers_h6 integer NOT NULL,
    sellers_h6 integer NOT NULL,
    reference_price_h6 numeric,
    price_change_h6 double precision,
    volume_h24 numeric NOT NULL,
    buy_volume_h24 numeric NOT NULL,
    buys_h24 integer NOT NULL,
    sells_h24 integer NOT NULL,
    buyers_h24 integer NOT NULL,
    sellers_h24 integer NOT NULL,
    reference_price_h24 numeric,
    price_change_h24 double precision,
    windows_at bigint NOT NULL,
    windows_expire_at bigint,
    trades_m5 integer GENERATED ALWAYS AS ((buys_m5 + sells_m5)) STORED NOT NULL,
    trades_h1 integer GENERATED ALWAYS AS ((buys_h1 + sells_h1)) STORED NOT NULL,
    trades_h24 integer GENERATED ALWAYS AS ((buys_h24 + sells_h24)) STORED NOT NULL,
    trending integer GENERATED ALWAYS AS ((((24 * buyers_h1) + (4 * buyers_h6)) + buyers_h24)) STORED NOT NULL,
    creator_fee_bps double precision,
    fees_accrued numeric,
    fees_claimed numeric,
    vesting_claimed numeric,
    vesting_ends_at bigint,
    graduation_status text NOT NULL,
    graduation_percent double precision,
    raised numeric,
    target numeric,
    completed_at bigint,
    migrated_at bigint,
    graduated_pool bytea,
    graduated_price_weth numeric,
    graduation_tx_hash bytea,
    sequence bigint NOT NULL,
    as_of_block bigint NOT NULL,
    updated_at_ms bigint NOT NULL,
    surface text,
    opened_at bigint,
    creator_held numeric,
    sniper_held numeric,
    bundler_held numeric,
    insider_held numeric,
    links text,
    ath_price_usd numeric,
    CONSTRAINT token_graduation_status_check CHECK ((graduation_status = ANY (ARRAY['none'::text, 'bonding'::text, 'completed'::text, 'migrated'::text])))
);


--
-- Name: trader; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.trader (
    maker bytea NOT NULL,
    first_trade_at bigint NOT NULL,
    last_trade_at bigint NOT NULL,
    trades integer NOT NULL,
    volume_wei numeric NOT NULL,
    tokens integer NOT NULL,
    realized_wei numeric NOT NULL,
    realized_usd numeric NOT NULL,
    tokens_without_wei integer NOT NULL,
    tokens_without_usd integer NOT NULL
);


--
-- Name: block_undo; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.block_undo (
    block_number bigint NOT NULL,
    "position" integer NOT NULL,
    table_name text NOT NULL,
    added_key json,
    token public.token,
    pool public.pool,
    pool_tick public.pool_tick,
    balance public.balance,
    early_class public.early_class,
    candle public.candle,
    creator_fee public.creator_fee,
    trader public.trader,
    index_totals public.index_totals,
    launchpad_totals public.launchpad_totals
)
WITH (toast_tuple_target='8160');


--
-- Name: chain_state; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.chain_state (
    id smallint DEFAULT 1 NOT NULL,
    chain_id bigint NOT NULL,
    genesis_hash bytea NOT NULL,
    weth bytea NOT NULL,
    launchpads jsonb NOT NULL,
    writer text,
    cursor_number bigint,
    cursor_hash bytea,
    cursor_timestamp bigint,
    committed_at_ms bigint,
    undo_from bigint,
    commits bigint DEFAULT 0 NOT NULL,
    minutes_from bigint,
    peg_usd jsonb,
    rebuild jsonb DEFAULT '[]'::jsonb NOT NULL,
    value_changes_from bigint,
    unfolded_from bigint,
    CONSTRAINT chain_state_id_check CHECK ((id = 1))
);


--
-- Name: currency; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.currency (
    address bytea NOT NULL,
    symbol text,
    decimals smallint,
    is_read boolean NOT NULL,
    read_again_at_ms bigint
);


--
-- Name: dropped_token; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.dropped_token (
    address bytea NOT NULL,
    sequence bigint NOT NULL,
    dropped_at_ms bigint NOT NULL
);


--
-- Name: holder_code; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.holder_code (
    holder bytea NOT NULL,
    contract boolean NOT NULL
);


--
-- Name: join_exit; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.join_exit (
    block_number bigint NOT NULL,
    log_index bigint NOT NULL,
    pool bytea NOT NULL,
    maker bytea NOT NULL,
    amount_token numeric NOT NULL,
    amount_quote numeric NOT NULL,
    reserve_token numeric,
    reserve_quote numeric,
    tx_hash bytea NOT NULL,
    tx_index bigint NOT NULL,
    "timestamp" bigint NOT NULL
);


--
-- Name: late_pair; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.late_pair (
    pool bytea NOT NULL,
    joined_block bigint NOT NULL
);


--
-- Name: leader; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.leader (
    period text NOT NULL,
    launchpad text NOT NULL,
    maker bytea NOT NULL,
    buys integer NOT NULL,
    sells integer NOT NULL,
    bought_wei numeric NOT NULL,
    bought_usd numeric NOT NULL,
    sold_wei numeric NOT NULL,
    sold_usd numeric NOT NULL,
    realized_wei numeric NOT NULL,
    realized_usd numeric NOT NULL,
    trades_without_wei integer NOT NULL,
    trades_without_usd integer NOT NULL,
    sales_without_wei integer NOT NULL,
    sales_without_usd integer NOT NULL,
    last_trade_at bigint NOT NULL,
    CONSTRAINT leader_period_check CHECK ((period = ANY (ARRAY['24h'::text, '7d'::text, '30d'::text, 'all'::text])))
);


--
-- Name: leader_window; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.leader_window (
    period text NOT NULL,
    after_block bigint NOT NULL,
    to_block bigint NOT NULL,
    CONSTRAINT leader_window_period_check CHECK ((period = ANY (ARRAY['24h'::text, '7d'::text, '30d'::text, 'all'::text])))
);


--
-- Name: metadata; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.metadata (
    key bytea NOT NULL,
    uri text NOT NULL,
    lane text GENERATED ALWAYS AS (
CASE
    WHEN (uri ~* '^\s*https?:'::text) THEN 'web'::text
    WHEN (uri ~* '^\s*(data:|[{])'::text) THEN 'local'::text
    ELSE 'gateway'::text
END) STORED NOT NULL,
    state text NOT NULL,
    attempts integer NOT NULL,
    next_attempt_at_ms bigint,
    attempted_at_ms bigint,
    outcome text,
    image_url text,
    description text,
    links jsonb,
    CONSTRAINT metadata_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'read'::text, 'announced'::text, 'refused'::text])))
);


--
-- Name: metadata_waiting; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.metadata_waiting (
    key bytea NOT NULL,
    token bytea NOT NULL
);


--
-- Name: mikro_orm_migrations; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.mikro_orm_migrations (
    id integer NOT NULL,
    name character varying(255) NOT NULL,
    executed_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP(6) NOT NULL
);


--
-- Name: TABLE mikro_orm_migrations; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.mikro_orm_migrations IS 'Tokenwire 1.0.0';


--
-- Name: mikro_orm_migrations_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.mikro_orm_migrations_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: mikro_orm_migrations_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.mikro_orm_migrations_id_seq OWNED BY public.mikro_orm_migrations.id;


--
-- Name: milestone; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.milestone (
    kind text NOT NULL,
    block_number bigint NOT NULL,
    log_index bigint NOT NULL,
    token bytea NOT NULL,
    status text,
    CONSTRAINT milestone_kind_check CHECK ((kind = ANY (ARRAY['launch'::text, 'graduation'::text]))),
    CONSTRAINT milestone_status_check CHECK ((status = ANY (ARRAY['completed'::text, 'migrated'::text])))
);


--
-- Name: pool_creation; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.pool_creation (
    pool bytea NOT NULL,
    block_number bigint NOT NULL,
    log_index bigint NOT NULL,
    tx_hash bytea NOT NULL,
    tx_index bigint NOT NULL,
    "timestamp" bigint NOT NULL
);


--
-- Name: reorg; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.reorg (
    number bigint NOT NULL,
    from_block bigint NOT NULL
);


--
-- Name: token_name; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.token_name (
    token bytea NOT NULL,
    name text NOT NULL
);


--
-- Name: trade; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.trade (
    block_number bigint NOT NULL,
    log_index bigint NOT NULL,
    token bytea NOT NULL,
    pool bytea NOT NULL,
    phase text NOT NULL,
    side text NOT NULL,
    maker bytea NOT NULL,
    amount_token numeric NOT NULL,
    amount_quote numeric,
    fee_quote numeric,
    amount_wei numeric,
    fee_wei numeric,
    price_weth numeric,
    price_after_weth numeric,
    price_usd numeric,
    value_usd numeric,
    eth_usd numeric,
    pool_price numeric,
    reserve_token numeric,
    reserve_quote numeric,
    block_hash bytea NOT NULL,
    tx_hash bytea NOT NULL,
    tx_index bigint NOT NULL,
    "timestamp" bigint NOT NULL,
    realized_wei numeric,
    realized_usd numeric,
    CONSTRAINT trade_phase_check CHECK ((phase = ANY (ARRAY['curve'::text, 'pool'::text]))),
    CONSTRAINT trade_side_check CHECK ((side = ANY (ARRAY['buy'::text, 'sell'::text])))
);


--
-- Name: uncollected_fee; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.uncollected_fee (
    token bytea NOT NULL,
    token_amount numeric,
    quote_amount numeric,
    block_number bigint NOT NULL
);


--
-- Name: value_change; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.value_change (
    block_number bigint NOT NULL,
    log_index bigint NOT NULL,
    token bytea NOT NULL,
    "timestamp" bigint NOT NULL,
    price_weth_before numeric,
    price_weth numeric,
    price_usd_before numeric,
    price_usd numeric,
    market_cap_weth_before numeric,
    market_cap_weth numeric,
    market_cap_usd_before numeric,
    market_cap_usd numeric,
    graduation_percent_before numeric,
    graduation_percent numeric,
    holders_before integer,
    holders integer NOT NULL
);


--
-- Name: webhook_position; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.webhook_position (
    name text NOT NULL,
    block_number bigint NOT NULL,
    log_index bigint NOT NULL,
    reorgs bigint NOT NULL,
    version bigint NOT NULL,
    is_paused boolean NOT NULL,
    failures integer NOT NULL,
    failing_since_ms bigint,
    next_attempt_at_ms bigint,
    last_error text
);


--
-- Name: chain; Type: TABLE; Schema: tokenwire_logs; Owner: -
--

CREATE TABLE tokenwire_logs.chain (
    chain_id bigint NOT NULL,
    genesis_hash bytea NOT NULL
);


--
-- Name: fact; Type: TABLE; Schema: tokenwire_logs; Owner: -
--

CREATE TABLE tokenwire_logs.fact (
    key bytea NOT NULL,
    value bytea
);


--
-- Name: range; Type: TABLE; Schema: tokenwire_logs; Owner: -
--

CREATE TABLE tokenwire_logs.range (
    run bigint NOT NULL,
    from_block bigint NOT NULL,
    to_block bigint NOT NULL,
    parent_hash bytea NOT NULL,
    hash bytea NOT NULL,
    keys bytea NOT NULL,
    logs integer NOT NULL,
    body bytea NOT NULL
);
ALTER TABLE ONLY tokenwire_logs.range ALTER COLUMN body SET STORAGE EXTERNAL;


--
-- Name: run; Type: TABLE; Schema: tokenwire_logs; Owner: -
--

CREATE TABLE tokenwire_logs.run (
    id bigint NOT NULL,
    filter text NOT NULL
);


--
-- Name: run_id_seq; Type: SEQUENCE; Schema: tokenwire_logs; Owner: -
--

ALTER TABLE tokenwire_logs.run ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME tokenwire_logs.run_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: mikro_orm_migrations id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.mikro_orm_migrations ALTER COLUMN id SET DEFAULT nextval('public.mikro_orm_migrations_id_seq'::regclass);


--
-- Data for Name: announced_contract; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: balance; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.balance VALUES
	('\x6743e5c6e1b453372507e8dfd6ca53508721425b', '\x8efa1819ff5b279077368d44b593a4543280e402', 0, 'curve', 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, 0),
	('\x6743e5c6e1b453372507e8dfd6ca53508721425b', '\x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', 231880989664891951580734712, 'creator', 7, 1, 1, 232880989664891951580734712, 1000000000000000000000000, 100000000000000000, NULL, 536881729009448, NULL, 99570596122320261, NULL, 107477851329709, NULL, 1790000020, 1790000020, 1790000025, 1),
	('\x6743e5c6e1b453372507e8dfd6ca53508721425b', '\x5fc8d32690cc91d4c39d9d3abcbd16989f875707', 0, 'locker', 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, 0),
	('\x6743e5c6e1b453372507e8dfd6ca53508721425b', '\x000000000000000000000000000000000000dead', 1307479224376731072029338, 'burn', 9, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, 0, 0, NULL, NULL, NULL, 0),
	('\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', '\x70997970c51812dc3a010c7d01b50e0d17dc79c8', 39018259346263706104971535, 'creator', 60, 1, 0, 39018259346263706104971535, 0, 30000000000000000, NULL, 0, 0, 30000000000000000, NULL, 0, 0, 1790000103, 1790000103, NULL, 1),
	('\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', '\x61c36a8d610163660e21a8b7359e1cac0c9133e1', 617298507462686566573286426, 'curve', 60, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, 0, 0, NULL, NULL, NULL, 0),
	('\x6743e5c6e1b453372507e8dfd6ca53508721425b', '\x78cb2ce9d9faf59ec49246b50ae814db4527fc10', 173673574147124246661936114, 'pool', 61, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, 0, 0, NULL, NULL, NULL, 0),
	('\x6743e5c6e1b453372507e8dfd6ca53508721425b', '\x90f79bf6eb2c4f870365e785982e1f101e93b906', 593137956963607070685299836, 'wallet', 61, 2, 0, 593137956963607070685299836, 0, 1110648792703815373, NULL, 0, 0, 1110648792703815373, NULL, 0, 0, 1790000026, 1790000105, NULL, 2),
	('\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', '\x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', 100000000000000000000, 'wallet', 62, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, 0, 0, NULL, NULL, NULL, 0),
	('\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', '\x90f79bf6eb2c4f870365e785982e1f101e93b906', 343683133191049727321742039, 'wallet', 62, 3, 0, 343683233191049727321742039, 0, 170000000000000000, NULL, 0, 0, 169999950535847088, NULL, 0, 0, 1790000021, 1790000024, NULL, 2);


--
-- Data for Name: block; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.block VALUES
	(9, '\xd504ab21cf8813229b320d21fc0ab742ead301deead76371b73350482ee69f43', '\x82f6bf9b9139e4d92b7c4ddb0847bcc21abe311d642076b8d543b4a3601f941b', 1790000027, false, NULL),
	(10, '\x2676d4f55d19f31b7faaedc62ea98288cf9b044b96e023e374b2f377d239f97e', '\xd504ab21cf8813229b320d21fc0ab742ead301deead76371b73350482ee69f43', 1790000028, true, NULL),
	(11, '\x88c5fba594e18dcb85515ed8ee2f12376a00258498ca96e122da076616bf6474', '\x2676d4f55d19f31b7faaedc62ea98288cf9b044b96e023e374b2f377d239f97e', 1790000029, true, NULL),
	(12, '\x2a2784b2ec67e1b5cd8da324be46245c84666966a1edee7acd045fbec9d45289', '\x88c5fba594e18dcb85515ed8ee2f12376a00258498ca96e122da076616bf6474', 1790000030, true, NULL),
	(13, '\x2d06f54270327173017d751a522db168405fe2595ad2a9a96b8fbba9d81652a9', '\x2a2784b2ec67e1b5cd8da324be46245c84666966a1edee7acd045fbec9d45289', 1790000031, true, NULL),
	(14, '\x16bd2236b0631aa07ecd943c809eb34c37b28a735f6e75cab85f47eeded2ba5b', '\x2d06f54270327173017d751a522db168405fe2595ad2a9a96b8fbba9d81652a9', 1790000032, true, NULL),
	(15, '\x93e104a7a1a797da430d2266e435987dd41e038d95a900c9a350a89bb7a5fe0c', '\x16bd2236b0631aa07ecd943c809eb34c37b28a735f6e75cab85f47eeded2ba5b', 1790000033, true, NULL),
	(16, '\x08334c5247dade964a8bbaee633a7349052e1c6ed1a9581049f5890c93507775', '\x93e104a7a1a797da430d2266e435987dd41e038d95a900c9a350a89bb7a5fe0c', 1790000034, true, NULL),
	(17, '\x72990d3ac2c6f7e73778d3abd3387cd2baf9478e7513d2ddea935f70e1097393', '\x08334c5247dade964a8bbaee633a7349052e1c6ed1a9581049f5890c93507775', 1790000035, true, NULL),
	(18, '\x391f0cf97bff27c2137a5bedc2f7842bbf8ec5cef67528d1f214f7f6a62142aa', '\x72990d3ac2c6f7e73778d3abd3387cd2baf9478e7513d2ddea935f70e1097393', 1790000036, true, NULL),
	(19, '\xc28ea1ed177113520b047765c861a347686d5bbf7bc7c96ca73312bdc8217dff', '\x391f0cf97bff27c2137a5bedc2f7842bbf8ec5cef67528d1f214f7f6a62142aa', 1790000037, true, NULL),
	(20, '\x4848b0e605b351463682365a91fbfc75fcea0ff16613aec309ea2154a0e0e8ad', '\xc28ea1ed177113520b047765c861a347686d5bbf7bc7c96ca73312bdc8217dff', 1790000038, true, NULL),
	(21, '\xd2724219fcff468f3aff9cb98a27cfd169894c7e54467a00e94e58f9abe5a375', '\x4848b0e605b351463682365a91fbfc75fcea0ff16613aec309ea2154a0e0e8ad', 1790000039, true, NULL),
	(22, '\xe92a399b702f0d788046d1b130711ae42224fa828b1f8c90003be9452c0e9791', '\xd2724219fcff468f3aff9cb98a27cfd169894c7e54467a00e94e58f9abe5a375', 1790000040, true, NULL),
	(23, '\x09123c8ffc9d55e8958e2e28c20f3ab8b750f4561591c0d456119632278929a5', '\xe92a399b702f0d788046d1b130711ae42224fa828b1f8c90003be9452c0e9791', 1790000041, true, NULL),
	(24, '\xbd3d3cb8115653efc8a3efa12718fdce364852a2c43185986eed2f2b34088bf9', '\x09123c8ffc9d55e8958e2e28c20f3ab8b750f4561591c0d456119632278929a5', 1790000042, true, NULL),
	(25, '\x360892439480759055e589018470ff00c24885f3f411c411fb4cb8dc1422b178', '\xbd3d3cb8115653efc8a3efa12718fdce364852a2c43185986eed2f2b34088bf9', 1790000043, true, NULL),
	(26, '\x775fc8e1756df3cf6240ff6bbf21c4acf2d0a9bccb20df5babf0ed7455836567', '\x360892439480759055e589018470ff00c24885f3f411c411fb4cb8dc1422b178', 1790000044, true, NULL),
	(27, '\x4c4b430476e8accef6f979ff7de45806151bf0c90050dfb4aa2042ae75082b35', '\x775fc8e1756df3cf6240ff6bbf21c4acf2d0a9bccb20df5babf0ed7455836567', 1790000045, true, NULL),
	(28, '\xaeb79dc0de5264daf9778f51683b085b836984854678b2c4388538ef7ba3df69', '\x4c4b430476e8accef6f979ff7de45806151bf0c90050dfb4aa2042ae75082b35', 1790000046, true, NULL),
	(29, '\xf2f9799e64faea7d51c9479b391a0bd2dbf7ffc4292c27f0e2dce4dec5e67e35', '\xaeb79dc0de5264daf9778f51683b085b836984854678b2c4388538ef7ba3df69', 1790000047, true, NULL),
	(30, '\x53f7d7245bc03454cedeec1552c68fa530df20e732d9f72e4bb754ea7272e2d2', '\xf2f9799e64faea7d51c9479b391a0bd2dbf7ffc4292c27f0e2dce4dec5e67e35', 1790000048, true, NULL),
	(31, '\x82a35bb602157618f9e45431e2c02e3e5bd4c9b0a5c13b58ea71530b9fc61355', '\x53f7d7245bc03454cedeec1552c68fa530df20e732d9f72e4bb754ea7272e2d2', 1790000049, true, NULL),
	(32, '\x150e2a4e00964939a7fb6f645134c0e2cb1144703320b65dc7ae6397d6b98dcf', '\x82a35bb602157618f9e45431e2c02e3e5bd4c9b0a5c13b58ea71530b9fc61355', 1790000050, true, NULL),
	(33, '\xf3c6014fe335d2bc41aa2fe2366422232d2c97bffc04520b8574018a40ea9c00', '\x150e2a4e00964939a7fb6f645134c0e2cb1144703320b65dc7ae6397d6b98dcf', 1790000051, true, NULL),
	(34, '\x51f721011259727f1a008515cae9ab26a75a16c40bb55e20ee46e0d305584eb0', '\xf3c6014fe335d2bc41aa2fe2366422232d2c97bffc04520b8574018a40ea9c00', 1790000052, true, NULL),
	(35, '\xc91a771864e65451c5fdd1cff37e38ab06709217c7cb8d09f769c8039484394a', '\x51f721011259727f1a008515cae9ab26a75a16c40bb55e20ee46e0d305584eb0', 1790000053, true, NULL),
	(36, '\xc36ddb6c3ec1d4e10adf645d7e00b7a58a4ecc8b1563911ec236c51024a31377', '\xc91a771864e65451c5fdd1cff37e38ab06709217c7cb8d09f769c8039484394a', 1790000054, true, NULL),
	(37, '\xe6e903b782661720746d71a41592257a5666587669b1bf072333bd495d372fff', '\xc36ddb6c3ec1d4e10adf645d7e00b7a58a4ecc8b1563911ec236c51024a31377', 1790000055, true, NULL),
	(38, '\x72591947c03f5dd6be9507ef39c701e360c7e8b08b5d5aac0d12d50ff22d2d23', '\xe6e903b782661720746d71a41592257a5666587669b1bf072333bd495d372fff', 1790000056, true, NULL),
	(39, '\xd6160accf085b3d191ea13be17f286c56a1a8e8c3587eee01649b8645dccb0bc', '\x72591947c03f5dd6be9507ef39c701e360c7e8b08b5d5aac0d12d50ff22d2d23', 1790000057, true, NULL),
	(40, '\x3e631a9c6fcc4df1cc190e790cfea310a7752a836c73c91d43a772dd3693d8c3', '\xd6160accf085b3d191ea13be17f286c56a1a8e8c3587eee01649b8645dccb0bc', 1790000058, true, NULL),
	(41, '\xfa48382f7f21d814841df58391361d1976daf5ef56126429084954f8a30129cb', '\x3e631a9c6fcc4df1cc190e790cfea310a7752a836c73c91d43a772dd3693d8c3', 1790000059, false, NULL),
	(42, '\x2a1a23e73ceedbca904b9f71423b05f06d60a9e7064578ee9f981c01d4725724', '\xfa48382f7f21d814841df58391361d1976daf5ef56126429084954f8a30129cb', 1790000060, true, NULL),
	(43, '\xe898d9196e03fa6667a7798bec3f7b8c4d54e2636646a31fef93c60073f2bca3', '\x2a1a23e73ceedbca904b9f71423b05f06d60a9e7064578ee9f981c01d4725724', 1790000061, true, NULL),
	(44, '\xd0fc89348076e7ea11221b036cb9b3d598dbb4354d215b04e99572434a1ade75', '\xe898d9196e03fa6667a7798bec3f7b8c4d54e2636646a31fef93c60073f2bca3', 1790000062, true, NULL),
	(45, '\x9e607d767c69dae36ad28caa9ecc3749fb6eec34d50b404d0ca727418983efd8', '\xd0fc89348076e7ea11221b036cb9b3d598dbb4354d215b04e99572434a1ade75', 1790000063, true, NULL),
	(46, '\x5f465da5ad17f930b92cefc92d8adf2568c6c3e45f7d913b9a6e0cadf38d0b18', '\x9e607d767c69dae36ad28caa9ecc3749fb6eec34d50b404d0ca727418983efd8', 1790000064, true, NULL),
	(47, '\x8e000f3883c1075cf1751bc18410695304cd40b86a202e5cbc1ea61152435fd4', '\x5f465da5ad17f930b92cefc92d8adf2568c6c3e45f7d913b9a6e0cadf38d0b18', 1790000065, true, NULL),
	(48, '\x87601298d5ba7f1216e9dabeb537a68c8d1ae44df35cec00a9b3550faef0e9bf', '\x8e000f3883c1075cf1751bc18410695304cd40b86a202e5cbc1ea61152435fd4', 1790000066, true, NULL),
	(49, '\x6fffabc2e7200037e5df24b30b4392b9f5ad1107faaa5a8e364ec272622f5e05', '\x87601298d5ba7f1216e9dabeb537a68c8d1ae44df35cec00a9b3550faef0e9bf', 1790000067, true, NULL),
	(50, '\x99259e1f84173702202aa53e80b70bcf9ed302edf2d42f413058564f8c56a594', '\x6fffabc2e7200037e5df24b30b4392b9f5ad1107faaa5a8e364ec272622f5e05', 1790000068, false, NULL),
	(51, '\x549e1211a9d10be8fde0b45902f0c696e7d94ee627e93615052fef95aaa053ef', '\x99259e1f84173702202aa53e80b70bcf9ed302edf2d42f413058564f8c56a594', 1790000069, false, NULL),
	(52, '\xddc66ea9447c713679a37d50ffb8c41fdab9dc314edab7473a791267a1154945', '\x549e1211a9d10be8fde0b45902f0c696e7d94ee627e93615052fef95aaa053ef', 1790000070, false, NULL),
	(53, '\x52c1f980404be414b0056b7dc1b077ceeeae77b1942057efeb627ac2d30ea810', '\xddc66ea9447c713679a37d50ffb8c41fdab9dc314edab7473a791267a1154945', 1790000071, false, NULL),
	(54, '\x76b9367b5a33f0f82f1d6b6821dc08929ebb703dc162f957b1d2d30c3f5e98a8', '\x52c1f980404be414b0056b7dc1b077ceeeae77b1942057efeb627ac2d30ea810', 1790000072, false, NULL),
	(55, '\xabe2a91917b29b3a2d5e139cc5cd1196703db648a684a57573dcc3ea06ed4caf', '\x76b9367b5a33f0f82f1d6b6821dc08929ebb703dc162f957b1d2d30c3f5e98a8', 1790000073, false, NULL),
	(56, '\xa1506d72698a67201e30074e1cb2dff09ab19be07d845b5b6d425fd474b66b5c', '\xabe2a91917b29b3a2d5e139cc5cd1196703db648a684a57573dcc3ea06ed4caf', 1790000074, false, NULL),
	(57, '\xc40c8e77d83aafc5b489e56e4ab390ca14f424fa7132cb1aa4cf717012107603', '\xa1506d72698a67201e30074e1cb2dff09ab19be07d845b5b6d425fd474b66b5c', 1790000075, false, NULL),
	(58, '\xda1e7f35cb86e100905107bac462de01620532d26e4757fc5786b98bcfca4600', '\xc40c8e77d83aafc5b489e56e4ab390ca14f424fa7132cb1aa4cf717012107603', 1790000076, false, NULL),
	(59, '\xcb3a9a342bd8bbad78e2b44eca211302e25bd98a7eafe0c2619cc2552ec32d54', '\xda1e7f35cb86e100905107bac462de01620532d26e4757fc5786b98bcfca4600', 1790000077, false, NULL),
	(60, '\x9d0b64548e6fda6d8860ac0d98b669c6ad432e2e4c9616026460a74614d40994', '\xcb3a9a342bd8bbad78e2b44eca211302e25bd98a7eafe0c2619cc2552ec32d54', 1790000103, false, NULL),
	(61, '\xc41214c3b924f56b1d2a7d174d845fbb58b055fd9d91718fe7cffd8729dcbe6a', '\x9d0b64548e6fda6d8860ac0d98b669c6ad432e2e4c9616026460a74614d40994', 1790000105, false, NULL),
	(62, '\x1ef14f651e628e7a8c087c5a800cec9e15e084f86cde51415cced992a55f336a', '\xc41214c3b924f56b1d2a7d174d845fbb58b055fd9d91718fe7cffd8729dcbe6a', 1790000106, false, NULL);


--
-- Data for Name: block_undo; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.block_undo VALUES
	(60, 1, 'token', NULL, '("\\x23db4a08f2272df049a4932a4cc3a6dc1002b33e",reference,ALP,Alpha,18,1000000000000000000000000000,"\\x70997970c51812dc3a010c7d01b50e0d17dc79c8",,1790000019,2,"\\xc49b5acd5e12864bc8acb93b17b42d3394c9a2d3292be27ed4ec171223001c04",,,,,"\\x61c36a8d610163660e21a8b7359e1cac0c9133e1",,1,,0.00000000072045903927572893028,0.00000000072045903927572893028,0.00000000072045903927572893028,0.00000000033284516043136732712,0.00000000072045903927572893028,,1790000024,0.72045903927572893028,0.3366,3,2,1790000024,170000000000000000,170000000000000000,3,0,1,0,,116.4547,170000000000000000,170000000000000000,3,0,1,0,,116.4547,170000000000000000,170000000000000000,3,0,1,0,,116.4547,170000000000000000,170000000000000000,3,0,1,0,,116.4547,1790000027,1790000321,3,3,3,29,50,850000000000000,0,,,bonding,16.83,168300000000000000,1000000000000000000,,,,,,1795852246080,6,1795852246080,,1790000021,0,343683233191049727321742039,0,0,,)', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(60, 2, 'pool', NULL, NULL, '("\\x61c36a8d610163660e21a8b7359e1cac0c9133e1","\\x23db4a08f2272df049a4932a4cc3a6dc1002b33e",reference,curve,"\\x5fbdb2315678afecb367f032d93f642f64180aa3",t,100,656316766808950272678257961,168300000000000000,,,,0.00000000072045903927572893028,2,,6,,)', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(60, 3, 'balance', '{"token":"\\x23db4a08f2272df049a4932a4cc3a6dc1002b33e","holder":"\\x70997970c51812dc3a010c7d01b50e0d17dc79c8"}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(60, 4, 'balance', NULL, NULL, NULL, NULL, '("\\x23db4a08f2272df049a4932a4cc3a6dc1002b33e","\\x61c36a8d610163660e21a8b7359e1cac0c9133e1",656316766808950272678257961,curve,6,0,0,0,0,0,0,0,0,,,0,0,,,,0)', NULL, NULL, NULL, NULL, NULL, NULL),
	(60, 5, 'early_class', '{"token":"\\x23db4a08f2272df049a4932a4cc3a6dc1002b33e","class":"creator"}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(60, 6, 'candle', '{"time":1790000100,"token":"\\x23db4a08f2272df049a4932a4cc3a6dc1002b33e","interval_seconds":60}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(60, 7, 'creator_fee', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '(reference,"\\x70997970c51812dc3a010c7d01b50e0d17dc79c8","\\x5fbdb2315678afecb367f032d93f642f64180aa3",token,"\\x23db4a08f2272df049a4932a4cc3a6dc1002b33e",850000000000000,0,6,)', NULL, NULL, NULL),
	(60, 8, 'trader', '{"maker":"\\x70997970c51812dc3a010c7d01b50e0d17dc79c8"}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(60, 9, 'index_totals', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '(1,1790000027,2,1,0,1,2.336599999999998432,6,1181185674432824821,2)', NULL),
	(60, 10, 'launchpad_totals', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '(reference,2,1,0,1,6,1181185674432824821)'),
	(61, 1, 'token', NULL, '("\\x6743e5c6e1b453372507e8dfd6ca53508721425b",reference,BET,Beta,18,1000000000000000000000000000,"\\x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",,1790000020,3,"\\x4e00f1811cac166444bcd44a6b5a558b1ea8ab2a59f5d779b80506b862713789",,,,,"\\x78cb2ce9d9faf59ec49246b50ae814db4527fc10",,1,,0.0000000048062841166289442185,0.0000000048062841166289442185,0.0000000048062841166289442185,0.00000000033284516043136732712,0.0000000048062841166289442185,,1790000026,4.8062841166289442185,1.999999999999998432,3,4,1790000026,1011185674432824821,1010648792703815373,2,1,2,1,,1344,1011185674432824821,1010648792703815373,2,1,2,1,,1344,1011185674432824821,1010648792703815373,2,1,2,1,,1344,1011185674432824821,1010648792703815373,2,1,2,1,,1344,1790000027,1790000320,3,3,3,58,50,5055955487402962,0,,,migrated,100,1000000000000000000,1000000000000000000,1790000026,1790000027,"\\x78cb2ce9d9faf59ec49246b50ae814db4527fc10",0.0000000048062841166289442185,"\\x95fd5253c7ca86fb51da2d5ff802a3ab957c817a3bfe4361d1c1541b6d94347f",1795852246080,9,1795852246080,,1790000026,231880989664891951580734712,558750589282476469846235255,0,0,,)', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(61, 2, 'pool', NULL, NULL, '("\\x78cb2ce9d9faf59ec49246b50ae814db4527fc10","\\x6743e5c6e1b453372507e8dfd6ca53508721425b",reference,uniswap-v3,"\\x5fbdb2315678afecb367f032d93f642f64180aa3",f,100,208060941828254847501000695,999999999999999216,1142812188864087036860791066263552,191542,14424317724878873712066,0.0000000048062841166289442185,9,,9,,)', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(61, 3, 'balance', NULL, NULL, NULL, NULL, '("\\x6743e5c6e1b453372507e8dfd6ca53508721425b","\\x78cb2ce9d9faf59ec49246b50ae814db4527fc10",208060941828254847501000695,pool,9,0,0,0,0,0,0,0,0,,,0,0,,,,0)', NULL, NULL, NULL, NULL, NULL, NULL),
	(61, 4, 'balance', NULL, NULL, NULL, NULL, '("\\x6743e5c6e1b453372507e8dfd6ca53508721425b","\\x90f79bf6eb2c4f870365e785982e1f101e93b906",558750589282476469846235255,wallet,8,1,0,558750589282476469846235255,0,910648792703815373,,0,0,910648792703815373,,0,0,1790000026,1790000026,,2)', NULL, NULL, NULL, NULL, NULL, NULL),
	(61, 5, 'early_class', NULL, NULL, NULL, NULL, NULL, '("\\x6743e5c6e1b453372507e8dfd6ca53508721425b",sniper,1,558750589282476469846235255,0)', NULL, NULL, NULL, NULL, NULL),
	(61, 6, 'candle', '{"time":1790000100,"token":"\\x6743e5c6e1b453372507e8dfd6ca53508721425b","interval_seconds":60}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(61, 7, 'trader', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '("\\x90f79bf6eb2c4f870365e785982e1f101e93b906",1790000021,1790000026,4,1080648792703815373,2,0,0,0,0)', NULL, NULL),
	(61, 8, 'index_totals', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '(1,1790000103,2,1,0,1,2.395999999999998432,7,1211185674432824821,3)', NULL),
	(61, 9, 'launchpad_totals', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '(reference,2,1,0,1,7,1211185674432824821)'),
	(62, 1, 'token', NULL, '("\\x23db4a08f2272df049a4932a4cc3a6dc1002b33e",reference,ALP,Alpha,18,1000000000000000000000000000,"\\x70997970c51812dc3a010c7d01b50e0d17dc79c8",,1790000019,2,"\\xc49b5acd5e12864bc8acb93b17b42d3394c9a2d3292be27ed4ec171223001c04",,,,,"\\x61c36a8d610163660e21a8b7359e1cac0c9133e1",,1,,0.0000000008042069498069498064,0.0000000008042069498069498064,0.0000000008042069498069498064,0.00000000033284516043136732712,0.0000000008042069498069498064,,1790000103,0.8042069498069498064,0.396,4,3,1790000103,200000000000000000,200000000000000000,4,0,2,0,,141.6159,200000000000000000,200000000000000000,4,0,2,0,,141.6159,200000000000000000,200000000000000000,4,0,2,0,,141.6159,200000000000000000,200000000000000000,4,0,2,0,,141.6159,1790000103,1790000321,4,4,4,58,50,1000000000000000,0,,,bonding,19.8,198000000000000000,1000000000000000000,,,,,,1795852252390,60,1795852252390,,1790000021,39018259346263706104971535,343683233191049727321742039,0,0,,)', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(62, 2, 'balance', '{"token":"\\x23db4a08f2272df049a4932a4cc3a6dc1002b33e","holder":"\\x3c44cdddb6a900fa2b585dd299e03d12fa4293bc"}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(62, 3, 'balance', NULL, NULL, NULL, NULL, '("\\x23db4a08f2272df049a4932a4cc3a6dc1002b33e","\\x90f79bf6eb2c4f870365e785982e1f101e93b906",343683233191049727321742039,wallet,6,3,0,343683233191049727321742039,0,170000000000000000,,0,0,170000000000000000,,0,0,1790000021,1790000024,,2)', NULL, NULL, NULL, NULL, NULL, NULL),
	(62, 4, 'index_totals', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '(1,1790000105,2,1,0,1,2.795999999999998432,8,1411185674432824821,3)', NULL),
	(62, 5, 'launchpad_totals', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '(reference,2,1,0,1,8,1411185674432824821)');


--
-- Data for Name: candle; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.candle VALUES
	('\x6743e5c6e1b453372507e8dfd6ca53508721425b', 60, 1789999980, 0.00000000033284516043136732712, 0.0000000048062841166289442185, 0.00000000033284516043136732712, 0.0000000048062841166289442185, 1011185674432824821, 3, 792631578947368421426969967, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, DEFAULT),
	('\x6743e5c6e1b453372507e8dfd6ca53508721425b', 300, 1789999800, 0.00000000033284516043136732712, 0.0000000048062841166289442185, 0.00000000033284516043136732712, 0.0000000048062841166289442185, 1011185674432824821, 3, 792631578947368421426969967, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, DEFAULT),
	('\x6743e5c6e1b453372507e8dfd6ca53508721425b', 900, 1789999200, 0.00000000033284516043136732712, 0.0000000048062841166289442185, 0.00000000033284516043136732712, 0.0000000048062841166289442185, 1011185674432824821, 3, 792631578947368421426969967, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, DEFAULT),
	('\x6743e5c6e1b453372507e8dfd6ca53508721425b', 3600, 1789999200, 0.00000000033284516043136732712, 0.0000000048062841166289442185, 0.00000000033284516043136732712, 0.0000000048062841166289442185, 1011185674432824821, 3, 792631578947368421426969967, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, DEFAULT),
	('\x6743e5c6e1b453372507e8dfd6ca53508721425b', 14400, 1789992000, 0.00000000033284516043136732712, 0.0000000048062841166289442185, 0.00000000033284516043136732712, 0.0000000048062841166289442185, 1011185674432824821, 3, 792631578947368421426969967, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, DEFAULT),
	('\x6743e5c6e1b453372507e8dfd6ca53508721425b', 86400, 1789948800, 0.00000000033284516043136732712, 0.0000000048062841166289442185, 0.00000000033284516043136732712, 0.0000000048062841166289442185, 1011185674432824821, 3, 792631578947368421426969967, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, DEFAULT),
	('\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', 60, 1789999980, 0.00000000033284516043136732712, 0.00000000072045903927572893028, 0.00000000033284516043136732712, 0.00000000072045903927572893028, 170000000000000000, 3, 343683233191049727321742039, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, DEFAULT),
	('\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', 300, 1789999800, 0.00000000033284516043136732712, 0.00000000072045903927572893028, 0.00000000033284516043136732712, 0.00000000072045903927572893028, 170000000000000000, 3, 343683233191049727321742039, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, DEFAULT),
	('\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', 900, 1789999200, 0.00000000033284516043136732712, 0.00000000072045903927572893028, 0.00000000033284516043136732712, 0.00000000072045903927572893028, 170000000000000000, 3, 343683233191049727321742039, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, DEFAULT),
	('\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', 3600, 1789999200, 0.00000000033284516043136732712, 0.00000000072045903927572893028, 0.00000000033284516043136732712, 0.00000000072045903927572893028, 170000000000000000, 3, 343683233191049727321742039, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, DEFAULT),
	('\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', 14400, 1789992000, 0.00000000033284516043136732712, 0.00000000072045903927572893028, 0.00000000033284516043136732712, 0.00000000072045903927572893028, 170000000000000000, 3, 343683233191049727321742039, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, DEFAULT),
	('\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', 86400, 1789948800, 0.00000000033284516043136732712, 0.00000000072045903927572893028, 0.00000000033284516043136732712, 0.00000000072045903927572893028, 170000000000000000, 3, 343683233191049727321742039, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, DEFAULT),
	('\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', 60, 1790000100, 0.00000000072045903927572893028, 0.0000000008042069498069498064, 0.00000000072045903927572893028, 0.0000000008042069498069498064, 30000000000000000, 1, 39018259346263706104971535, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, DEFAULT),
	('\x6743e5c6e1b453372507e8dfd6ca53508721425b', 60, 1790000100, 0.0000000048062841166289442185, 0.0000000068979981893223272581, 0.0000000048062841166289442185, 0.0000000068979981893223272581, 200000000000000000, 1, 34387367681130600839064581, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, DEFAULT);


--
-- Data for Name: chain_state; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.chain_state VALUES
	(1, 31337, '\xb1d7f839f3ab93031ed8dc7869ffc8e195f8f25b55ca3db6a7d3be8d40daa868', '\x5fbdb2315678afecb367f032d93f642f64180aa3', '[{"name": "reference", "adapter": "bonding-curve", "version": 3, "contracts": {"factory": "0x5fc8d32690cc91d4c39d9d3abcbd16989f875707"}, "startBlock": 1}]', 'b37f54ae-9ce5-4246-97d2-09072b42cddb', 62, '\x1ef14f651e628e7a8c087c5a800cec9e15e084f86cde51415cced992a55f336a', 1790000106, 1795852252985, 59, 15, NULL, '[]', '[]', NULL, 1790000040);


--
-- Data for Name: creator_fee; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.creator_fee VALUES
	('reference', '\x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', '\x5fbdb2315678afecb367f032d93f642f64180aa3', 'token', '\x6743e5c6e1b453372507e8dfd6ca53508721425b', 5055955487402962, 0, 8, NULL),
	('reference', '\x70997970c51812dc3a010c7d01b50e0d17dc79c8', '\x5fbdb2315678afecb367f032d93f642f64180aa3', 'token', '\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', 1000000000000000, 0, 60, NULL);


--
-- Data for Name: currency; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.currency VALUES
	('\x5fbdb2315678afecb367f032d93f642f64180aa3', 'WETH', 18, true, NULL),
	('\x0000000000000000000000000000000000000000', 'ETH', 18, true, NULL);


--
-- Data for Name: dropped_token; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: early_class; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.early_class VALUES
	('\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', 'sniper', 1, 343683233191049727321742039, 0),
	('\x6743e5c6e1b453372507e8dfd6ca53508721425b', 'creator', 1, 232880989664891951580734712, 1000000000000000000000000),
	('\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', 'creator', 1, 39018259346263706104971535, 0),
	('\x6743e5c6e1b453372507e8dfd6ca53508721425b', 'sniper', 1, 593137956963607070685299836, 0);


--
-- Data for Name: holder_code; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.holder_code VALUES
	('\x90f79bf6eb2c4f870365e785982e1f101e93b906', false),
	('\x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', false);


--
-- Data for Name: index_totals; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.index_totals VALUES
	(1, 1790000106, 2, 1, 0, 1, 2.795999999999998432, 8, 1411185674432824821, 3);


--
-- Data for Name: join_exit; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.join_exit VALUES
	(9, 9, '\x78cb2ce9d9faf59ec49246b50ae814db4527fc10', '\x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0', 208060941828254847501000695, 999999999999999216, 208060941828254847501000695, 999999999999999216, '\x95fd5253c7ca86fb51da2d5ff802a3ab957c817a3bfe4361d1c1541b6d94347f', 0, 1790000027),
	(9, 15, '\x8efa1819ff5b279077368d44b593a4543280e402', '\x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', -209368421052631578573030033, -1000000000000000000, 0, 0, '\x95fd5253c7ca86fb51da2d5ff802a3ab957c817a3bfe4361d1c1541b6d94347f', 0, 1790000027);


--
-- Data for Name: late_pair; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: launchpad_totals; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.launchpad_totals VALUES
	('reference', 2, 1, 0, 1, 8, 1411185674432824821);


--
-- Data for Name: leader; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.leader VALUES
	('24h', 'reference', '\x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', 1, 1, 100000000000000000, 0, 536881729009448, 0, 107477851329709, 0, 0, 2, 0, 1, 1790000025),
	('24h', '', '\x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', 1, 1, 100000000000000000, 0, 536881729009448, 0, 107477851329709, 0, 0, 2, 0, 1, 1790000025),
	('24h', 'reference', '\x90f79bf6eb2c4f870365e785982e1f101e93b906', 4, 0, 1080648792703815373, 0, 0, 0, 0, 0, 0, 4, 0, 0, 1790000026),
	('24h', '', '\x90f79bf6eb2c4f870365e785982e1f101e93b906', 4, 0, 1080648792703815373, 0, 0, 0, 0, 0, 0, 4, 0, 0, 1790000026),
	('7d', 'reference', '\x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', 1, 1, 100000000000000000, 0, 536881729009448, 0, 107477851329709, 0, 0, 2, 0, 1, 1790000025),
	('7d', '', '\x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', 1, 1, 100000000000000000, 0, 536881729009448, 0, 107477851329709, 0, 0, 2, 0, 1, 1790000025),
	('7d', 'reference', '\x90f79bf6eb2c4f870365e785982e1f101e93b906', 4, 0, 1080648792703815373, 0, 0, 0, 0, 0, 0, 4, 0, 0, 1790000026),
	('7d', '', '\x90f79bf6eb2c4f870365e785982e1f101e93b906', 4, 0, 1080648792703815373, 0, 0, 0, 0, 0, 0, 4, 0, 0, 1790000026),
	('30d', 'reference', '\x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', 1, 1, 100000000000000000, 0, 536881729009448, 0, 107477851329709, 0, 0, 2, 0, 1, 1790000025),
	('30d', '', '\x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', 1, 1, 100000000000000000, 0, 536881729009448, 0, 107477851329709, 0, 0, 2, 0, 1, 1790000025),
	('30d', 'reference', '\x90f79bf6eb2c4f870365e785982e1f101e93b906', 4, 0, 1080648792703815373, 0, 0, 0, 0, 0, 0, 4, 0, 0, 1790000026),
	('30d', '', '\x90f79bf6eb2c4f870365e785982e1f101e93b906', 4, 0, 1080648792703815373, 0, 0, 0, 0, 0, 0, 4, 0, 0, 1790000026),
	('all', 'reference', '\x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', 1, 1, 100000000000000000, 0, 536881729009448, 0, 107477851329709, 0, 0, 2, 0, 1, 1790000025),
	('all', '', '\x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', 1, 1, 100000000000000000, 0, 536881729009448, 0, 107477851329709, 0, 0, 2, 0, 1, 1790000025),
	('all', 'reference', '\x90f79bf6eb2c4f870365e785982e1f101e93b906', 4, 0, 1080648792703815373, 0, 0, 0, 0, 0, 0, 4, 0, 0, 1790000026),
	('all', '', '\x90f79bf6eb2c4f870365e785982e1f101e93b906', 4, 0, 1080648792703815373, 0, 0, 0, 0, 0, 0, 4, 0, 0, 1790000026);


--
-- Data for Name: leader_window; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.leader_window VALUES
	('24h', 2, 49),
	('7d', 2, 50),
	('30d', 2, 51),
	('all', -1, 52);


--
-- Data for Name: metadata; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: metadata_waiting; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: mikro_orm_migrations; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.mikro_orm_migrations VALUES
	(1, 'Migration0001Initial', '2026-11-28 07:50:38.508971+00');


--
-- Data for Name: milestone; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.milestone VALUES
	('launch', 2, 1, '\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', NULL),
	('launch', 3, 6, '\x6743e5c6e1b453372507e8dfd6ca53508721425b', NULL),
	('graduation', 8, 5, '\x6743e5c6e1b453372507e8dfd6ca53508721425b', 'completed'),
	('graduation', 9, 15, '\x6743e5c6e1b453372507e8dfd6ca53508721425b', 'migrated');


--
-- Data for Name: pool; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.pool VALUES
	('\x8efa1819ff5b279077368d44b593a4543280e402', '\x6743e5c6e1b453372507e8dfd6ca53508721425b', 'reference', 'curve', '\x5fbdb2315678afecb367f032d93f642f64180aa3', false, 100, 0, 0, NULL, NULL, NULL, 0.0000000048062841166289442185, 3, NULL, 8, NULL, NULL),
	('\x61c36a8d610163660e21a8b7359e1cac0c9133e1', '\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', 'reference', 'curve', '\x5fbdb2315678afecb367f032d93f642f64180aa3', true, 100, 617298507462686566573286426, 198000000000000000, NULL, NULL, NULL, 0.0000000008042069498069498064, 2, NULL, 60, NULL, NULL),
	('\x78cb2ce9d9faf59ec49246b50ae814db4527fc10', '\x6743e5c6e1b453372507e8dfd6ca53508721425b', 'reference', 'uniswap-v3', '\x5fbdb2315678afecb367f032d93f642f64180aa3', false, 100, 173673574147124246661936114, 1199999999999999216, 953933379686216224424695457784357, 187929, 14424317724878873712066, 0.0000000068979981893223272581, 9, NULL, 61, NULL, NULL);


--
-- Data for Name: pool_creation; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.pool_creation VALUES
	('\x61c36a8d610163660e21a8b7359e1cac0c9133e1', 2, 1, '\xc49b5acd5e12864bc8acb93b17b42d3394c9a2d3292be27ed4ec171223001c04', 0, 1790000019),
	('\x8efa1819ff5b279077368d44b593a4543280e402', 3, 5, '\x4e00f1811cac166444bcd44a6b5a558b1ea8ab2a59f5d779b80506b862713789', 0, 1790000020),
	('\x78cb2ce9d9faf59ec49246b50ae814db4527fc10', 9, 4, '\x95fd5253c7ca86fb51da2d5ff802a3ab957c817a3bfe4361d1c1541b6d94347f', 0, 1790000027);


--
-- Data for Name: pool_tick; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: reorg; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: token; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.token VALUES
	('\x6743e5c6e1b453372507e8dfd6ca53508721425b', 'reference', 'BET', 'Beta', 18, 1000000000000000000000000000, '\x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', NULL, 1790000020, 3, '\x4e00f1811cac166444bcd44a6b5a558b1ea8ab2a59f5d779b80506b862713789', NULL, NULL, NULL, NULL, '\x78cb2ce9d9faf59ec49246b50ae814db4527fc10', NULL, 1, NULL, 0.0000000068979981893223272581, 0.0000000068979981893223272581, 0.0000000068979981893223272581, 0.00000000033284516043136732712, 0.0000000068979981893223272581, NULL, 1790000105, 6.8979981893223272581, 2.399999999999998432, 4, 4, 1790000105, 1211185674432824821, 1210648792703815373, 3, 1, 2, 1, NULL, 1972.4345, 1211185674432824821, 1210648792703815373, 3, 1, 2, 1, NULL, 1972.4345, 1211185674432824821, 1210648792703815373, 3, 1, 2, 1, NULL, 1972.4345, 1211185674432824821, 1210648792703815373, 3, 1, 2, 1, NULL, 1972.4345, 1790000105, 1790000320, DEFAULT, DEFAULT, DEFAULT, DEFAULT, 50, 5055955487402962, 0, NULL, NULL, 'migrated', 100, 1000000000000000000, 1000000000000000000, 1790000026, 1790000027, '\x78cb2ce9d9faf59ec49246b50ae814db4527fc10', 0.0000000048062841166289442185, '\x95fd5253c7ca86fb51da2d5ff802a3ab957c817a3bfe4361d1c1541b6d94347f', 1795852252698, 61, 1795852252698, NULL, 1790000026, 231880989664891951580734712, 593137956963607070685299836, 0, 0, NULL, NULL),
	('\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', 'reference', 'ALP', 'Alpha', 18, 1000000000000000000000000000, '\x70997970c51812dc3a010c7d01b50e0d17dc79c8', NULL, 1790000019, 2, '\xc49b5acd5e12864bc8acb93b17b42d3394c9a2d3292be27ed4ec171223001c04', NULL, NULL, NULL, NULL, '\x61c36a8d610163660e21a8b7359e1cac0c9133e1', NULL, 1, NULL, 0.0000000008042069498069498064, 0.0000000008042069498069498064, 0.0000000008042069498069498064, 0.00000000033284516043136732712, 0.0000000008042069498069498064, NULL, 1790000103, 0.8042069498069498064, 0.396, 4, 4, 1790000103, 200000000000000000, 200000000000000000, 4, 0, 2, 0, NULL, 141.6159, 200000000000000000, 200000000000000000, 4, 0, 2, 0, NULL, 141.6159, 200000000000000000, 200000000000000000, 4, 0, 2, 0, NULL, 141.6159, 200000000000000000, 200000000000000000, 4, 0, 2, 0, NULL, 141.6159, 1790000106, 1790000321, DEFAULT, DEFAULT, DEFAULT, DEFAULT, 50, 1000000000000000, 0, NULL, NULL, 'bonding', 19.8, 198000000000000000, 1000000000000000000, NULL, NULL, NULL, NULL, NULL, 1795852252985, 62, 1795852252985, NULL, 1790000021, 39018259346263706104971535, 343683133191049727321742039, 0, 0, NULL, NULL);


--
-- Data for Name: token_name; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.token_name VALUES
	('\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', 'Alpha'),
	('\x6743e5c6e1b453372507e8dfd6ca53508721425b', 'Beta');


--
-- Data for Name: trade; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.trade VALUES
	(3, 5, '\x6743e5c6e1b453372507e8dfd6ca53508721425b', '\x8efa1819ff5b279077368d44b593a4543280e402', 'curve', 'buy', '\x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', 232880989664891951580734712, NULL, NULL, 100000000000000000, 1000000000000000, 0.00000000042510983890294235042, 0.00000000054295028624683797024, NULL, NULL, NULL, NULL, 767119010335108048419265288, 99000000000000000, '\x88a5b53437161601d82f6f7bad59d49c742747a0c3be97bb6ca10dea34057798', '\x4e00f1811cac166444bcd44a6b5a558b1ea8ab2a59f5d779b80506b862713789', 0, 1790000020, NULL, NULL),
	(7, 5, '\x6743e5c6e1b453372507e8dfd6ca53508721425b', '\x8efa1819ff5b279077368d44b593a4543280e402', 'curve', 'sell', '\x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', 1000000000000000000000000, NULL, NULL, 536881729009448, 5423047767772, 0.00000000054230477677722, 0.00000000054166003474890584728, NULL, NULL, NULL, NULL, 768119010335108048419265288, 98457695223222780, '\x53b31309220b3c09d58322d359b4e5b2c378b64253af1b703cd58c2d463bdf83', '\x971c2573640eab13059dd4cb6ecc67df82f048cfce90b698c468de6615ab7af0', 1, 1790000025, 107477851329709, NULL),
	(8, 4, '\x6743e5c6e1b453372507e8dfd6ca53508721425b', '\x8efa1819ff5b279077368d44b593a4543280e402', 'curve', 'buy', '\x90f79bf6eb2c4f870365e785982e1f101e93b906', 558750589282476469846235255, NULL, NULL, 910648792703815373, 9106487927038153, 0.0000000016134968303738151965, 0.0000000048062841166289442185, NULL, NULL, NULL, NULL, 209368421052631578573030033, 1000000000000000000, '\x82f6bf9b9139e4d92b7c4ddb0847bcc21abe311d642076b8d543b4a3601f941b', '\x884d33444d0f7ca78ba8be0d20a7feb7900c5a211215714f199915d7a6ab040a', 0, 1790000026, NULL, NULL),
	(4, 4, '\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', '\x61c36a8d610163660e21a8b7359e1cac0c9133e1', 'curve', 'buy', '\x90f79bf6eb2c4f870365e785982e1f101e93b906', 232880989664891951580734712, NULL, NULL, 100000000000000000, 1000000000000000, 0.00000000042510983890294235042, 0.00000000054295028624683797024, NULL, NULL, NULL, NULL, 767119010335108048419265288, 99000000000000000, '\x37c18898ada3b1f5a8ebed5722cc0dc15715df6fdccbfaab4ba24d4c88fded57', '\xee28c6de5029994abc5fe4c3ee0136db6f7d229a55dda173057e41b48165362b', 0, 1790000021, NULL, NULL),
	(5, 4, '\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', '\x61c36a8d610163660e21a8b7359e1cac0c9133e1', 'curve', 'buy', '\x90f79bf6eb2c4f870365e785982e1f101e93b906', 82243604204298612592382270, NULL, NULL, 50000000000000000, 500000000000000, 0.00000000060187050991878578015, 0.00000000066718467580881373919, NULL, NULL, NULL, NULL, 684875406130809435826883018, 148500000000000000, '\x0ddb445b72750eab5bb91dc33fe2e74ffa6d41b4271e27daa46d16c72448d373', '\x2527b295321dc450c521816b7ff490e03805f5d123d5e3f72c30281d017289a9', 0, 1790000022, NULL, NULL),
	(6, 4, '\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', '\x61c36a8d610163660e21a8b7359e1cac0c9133e1', 'curve', 'buy', '\x90f79bf6eb2c4f870365e785982e1f101e93b906', 28558639321859163148625057, NULL, NULL, 20000000000000000, 200000000000000, 0.0000000006933103421648249228, 0.00000000072045903927572893028, NULL, NULL, NULL, NULL, 656316766808950272678257961, 168300000000000000, '\x55a9712495ab5ac5d45cdfe90e0e6345d7ca410e4abb926499423fcef3cd75b9', '\xa11d89e72a4bf9df082f0703931d8f9038763ebb1c531ffbb2ded56d853f2df2', 0, 1790000024, NULL, NULL),
	(60, 4, '\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', '\x61c36a8d610163660e21a8b7359e1cac0c9133e1', 'curve', 'buy', '\x70997970c51812dc3a010c7d01b50e0d17dc79c8', 39018259346263706104971535, NULL, NULL, 30000000000000000, 300000000000000, 0.00000000076118208494208494149, 0.0000000008042069498069498064, NULL, NULL, NULL, NULL, 617298507462686566573286426, 198000000000000000, '\x9d0b64548e6fda6d8860ac0d98b669c6ad432e2e4c9616026460a74614d40994', '\x76573ea5ed2f276bfb2b103150dc6656bb92ebe86f1930d21af6a0cd6dbc3238', 0, 1790000103, NULL, NULL),
	(61, 3, '\x6743e5c6e1b453372507e8dfd6ca53508721425b', '\x78cb2ce9d9faf59ec49246b50ae814db4527fc10', 'pool', 'buy', '\x90f79bf6eb2c4f870365e785982e1f101e93b906', 34387367681130600839064581, NULL, NULL, 200000000000000000, 2000000000000000, 0.0000000057579283717214751737, 0.0000000068979981893223272581, NULL, NULL, NULL, NULL, 173673574147124246661936114, 1199999999999999216, '\xc41214c3b924f56b1d2a7d174d845fbb58b055fd9d91718fe7cffd8729dcbe6a', '\xff78ae385186bebc48751cc25f482719101d4b5e53dfbb06062c4cbaeafd77d5', 0, 1790000105, NULL, NULL);


--
-- Data for Name: trader; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.trader VALUES
	('\x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', 1790000020, 1790000025, 2, 100536881729009448, 1, 107477851329709, 0, 0, 1),
	('\x70997970c51812dc3a010c7d01b50e0d17dc79c8', 1790000103, 1790000103, 1, 30000000000000000, 1, 0, 0, 0, 0),
	('\x90f79bf6eb2c4f870365e785982e1f101e93b906', 1790000021, 1790000105, 5, 1280648792703815373, 2, 0, 0, 0, 0);


--
-- Data for Name: uncollected_fee; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: value_change; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.value_change VALUES
	(9, 0, '\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', 1790000027, NULL, 0.00000000072045903927572893028, NULL, NULL, NULL, 0.72045903927572893028, NULL, NULL, NULL, 16.83, NULL, 2),
	(9, 1, '\x6743e5c6e1b453372507e8dfd6ca53508721425b', 1790000027, NULL, 0.0000000048062841166289442185, NULL, NULL, NULL, 4.8062841166289442185, NULL, NULL, NULL, 100, NULL, 4),
	(60, 0, '\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', 1790000103, 0.00000000072045903927572893028, 0.0000000008042069498069498064, NULL, NULL, 0.72045903927572893028, 0.8042069498069498064, NULL, NULL, 16.83, 19.8, 2, 3),
	(61, 0, '\x6743e5c6e1b453372507e8dfd6ca53508721425b', 1790000105, 0.0000000048062841166289442185, 0.0000000068979981893223272581, NULL, NULL, 4.8062841166289442185, 6.8979981893223272581, NULL, NULL, 100, 100, 4, 4),
	(62, 0, '\x23db4a08f2272df049a4932a4cc3a6dc1002b33e', 1790000106, 0.0000000008042069498069498064, 0.0000000008042069498069498064, NULL, NULL, 0.8042069498069498064, 0.8042069498069498064, NULL, NULL, 19.8, 19.8, 3, 4);


--
-- Data for Name: webhook_position; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: chain; Type: TABLE DATA; Schema: tokenwire_logs; Owner: -
--

INSERT INTO tokenwire_logs.chain VALUES
	(31337, '\xb1d7f839f3ab93031ed8dc7869ffc8e195f8f25b55ca3db6a7d3be8d40daa868');


--
-- Data for Name: fact; Type: TABLE DATA; Schema: tokenwire_logs; Owner: -
--



--
-- Data for Name: range; Type: TABLE DATA; Schema: tokenwire_logs; Owner: -
--

INSERT INTO tokenwire_logs.range VALUES
	(1, 1, 9, '\xb1d7f839f3ab93031ed8dc7869ffc8e195f8f25b55ca3db6a7d3be8d40daa868', '\xd504ab21cf8813229b320d21fc0ab742ead301deead76371b73350482ee69f43', '\x1400000000000000015fc8d32690cc91d4c39d9d3abcbd16989f87570714000000000000000223db4a08f2272df049a4932a4cc3a6dc1002b33e14000000000000000261c36a8d610163660e21a8b7359e1cac0c9133e11400000000000000036743e5c6e1b453372507e8dfd6ca53508721425b1400000000000000038efa1819ff5b279077368d44b593a4543280e40214000000000000000978cb2ce9d9faf59ec49246b50ae814db4527fc10', 29, '\x28b52ffd00582542008471090183f7c4d50685b243ca4ded81ae0e0c42be99fc19672e37f93c8ccb013e31d569555f6bdae8b1d7f839f3ab93031ed8dc7869ffc8e195f8f25b55ca3db6a7d3be8d40daa8680293f7c4d506a3d2921f88a8bab59b44e0b3923274c4379adb2795e780c2c59f82c9986164810394f7c4d50688a5b53437161601d82f6f7bad59d49c742747a0c3be97bb6ca10dea340577980495f7c4d50637c18898ada3b1f5a8ebed5722cc0dc15715df6fdccbfaab4ba24d4c88fded570596f7c4d5060ddb445b72750eab5bb91dc33fe2e74ffa6d41b4271e27daa46d16c72448d3730698f7c4d50655a9712495ab5ac5d45cdfe90e0e6345d7ca410e4abb926499423fcef3cd75b90799f7c4d50653b31309220b3c09d58322d359b4e5b2c378b64253af1b703cd58c2d463bdf83089af7c4d50682f6bf9b9139e4d92b7c4ddb0847bcc21abe311d642076b8d543b4a3601f941b099bf7c4d506d504ab21cf8813229b320d21fc0ab742ead301deead76371b73350482ee69f430623db4a08f2272df049a4932a4cc3a6dc1002b33e5fc8d32690cc91d4c39d9d3abcbd16989f8757076743e5c6e1b453372507e8dfd6ca53508721425b8efa1819ff5b279077368d44b593a4543280e40261c36a8d610163660e21a8b7359e1cac0c9133e178cb2ce9d9faf59ec49246b50ae814db4527fc1018ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef007cb2a2f947cf4887533649e1c22073599661e388ec2ba6ac0ff8e49bd2edbbd800000070997970c51812dc3a010c7d01b50e0d17dc79c8b17ad4ad9929a03f51ade5b8e811dc70c90d04c62002449132d137a1a76fe6d6000000003c44cdddb6a900fa2b585dd299e03d12fa4293bc00005fbdb2315678afecb367f032d93f642f64180aa36d66e93fca9fffe37a7fc755f77f3e79dedac0bd90ac9b03ee8b1ccadc7b5da60090f79bf6eb2c4f870365e785982e1f101e93b906bbc1e508047ac950b7c85ff5e37d8d585d6f2e29ce4099daf2ba04b2b5e43ca3dfd517ed69f8a0a57d49fe494e4864fac3cfe3585c14c0bfddf39f72463ec3fd000098636036cb66a9c19a37435efc1e90142190214e8abeb821bdba3f2990dd4c9500007a53080ba414158be7ec69b987b5fb7d07dee101fe85488f0853ae16239d0bde009fe46736679d2d9a65f0992f2272de9f3c7fa6e0fff27660000d89a000dead487dc7f66c623fb0ff13f9024a3ff9675453d069e075eceb12d9f8d7870e237408c49b5acd5e12864bc8acb93b17b42d3394c9a2d3292be27ed4ec171223001c044e00f1811cac166444bcd44a6b5a558b1ea8ab2a59f5d779b80506b862713789ee28c6de5029994abc5fe4c3ee0136db6f7d229a55dda173057e41b48165362b2527b295321dc450c521816b7ff490e03805f5d123d5e3f72c30281d017289a9a11d89e72a4bf9df082f0703931d8f9038763ebb1c531ffbb2ded56d853f2df2971c2573640eab13059dd4cb6ecc67df82f048cfce90b698c468de6615ab7af0884d33444d0f7ca78ba8be0d20a7feb7900c5a211215714f199915d7a6ab040a95fd5253c7ca86fb51da2d5ff802a3ab957c817a3bfe4361d1c1541b6d94347f1d0100000000030001022000033b2e3c9fd0803ce800000001000001010403040502c0030001200001000104f4d3894e116db6037790968dc8efffd1000de0b6b3a7641388000005416c70686103414c500201000002030001060201000301040708090a2001c6bf52634000020100040203000609c0a277bf0b0f49e75064f80201000503030b0909e001016345785d8a038d7ea4c68006548b8306d4ed02b6ee1ecebde0b5e9af9b08015fb7f9b8c380027a8bc4e0c570f300af9b08020100060104030809060442657400034245540003020002010407040503020003000300020c0302000404030b0c0c040300e35fa931a00004034407c2b7b277504b7c913e040300b1a2bc2ec50704677fe336ad72e65c170b69659e3309ca020f93f69525403684022912f9a2b53309ca05045af3107a40000504179f86f096b2ebce89a4a10504470de4df8200b5e620f4804abf7ea1c42d5b46d52674b679cfa9652955ebf553b2c01ee47b387c46b6e6a9652906050101020300090000d3c21bcecceda100000006050104000277536afb6e0605010503030d01e84a84be772804eea6d5f6dc0006529e49db407fb20002b7c1e0ea8cada38a5dcac08d2f11fc7b5f86fc943de0a1af9b080706102d26b90570640706000301ce300a238db1d9926b587707060004030ca346408c3fcecd205a4d720ae0c912d58a3cf5756d00e991d6c6fefbc9f8444291ad2f7cd9068c070f4442910706000503010e2008070002020300060f200807000405011040385851566aebe35e1a3a90a102ec36080700080203000f11ac1a9e41c95b3688dedff7080700090504121314158001030df19ee37777f255c263fcf00e0203000f160114de973d30d08665629a0807000f010317081100018086a8410922862865909919094464142ca40310031121d2e612c030200641408e43188204616892679c23064184129182826ae92fdd591c1efa9810b98f797cc261aa166a32624ac3db5b87d73f9e3520ebd1a74222b05e594c9bc71c3546ff28889b98002fecc3da990fc8060c2725f6faaca09732a32079639be954fb2c844ceef335bbbff8ba5e97513a1f9599e034b69bc5b9b9a4412146749dfacae41e22e46fed1e6f0f0b6392f6c0b907c427e7be5811a8c55d0eb30bb0682686403f3f08af317d16c60c19dbfaa035e7643115cb7bb720ca58aea17681149017879105c7c76e2d8e6d1f675d33e965d50dba01898bbc0f119e2088242aab8e2ac4fc26402afb306c607546a099c15438528e436874804a7044b43620d40dadd11aadd11aadd16eb44dfbfa0f');


--
-- Data for Name: run; Type: TABLE DATA; Schema: tokenwire_logs; Owner: -
--

INSERT INTO tokenwire_logs.run OVERRIDING SYSTEM VALUE VALUES
	(1, '{"kind":"addresses","topics":["0x0c396cd989a39f4459b5fa1aed6a9a8dcdbc45908acfd67e028cd568da98982c","0x1c73a493cbfb6dbead42ab77fa32a3724c98b330d61a93372dd92239d0da426d","0x205860e66845f2bbc0966bfab80db9bf93fca93862ea2b9fcf6945748352b4a3","0x487dc7f66c623fb0ff13f9024a3ff9675453d069e075eceb12d9f8d7870e2374","0x596b573906218d3411850b26a6b437d6c4522fdb43d2d2386263f86d50b8b151","0x6d66e93fca9fffe37a7fc755f77f3e79dedac0bd90ac9b03ee8b1ccadc7b5da6","0x70935338e69775456a85ddef226c395fb668b63fa0115f5f20610b388e6ca9c0","0x7a53080ba414158be7ec69b987b5fb7d07dee101fe85488f0853ae16239d0bde","0x7cb2a2f947cf4887533649e1c22073599661e388ec2ba6ac0ff8e49bd2edbbd8","0x98636036cb66a9c19a37435efc1e90142190214e8abeb821bdba3f2990dd4c95","0xb17ad4ad9929a03f51ade5b8e811dc70c90d04c62002449132d137a1a76fe6d6","0xbbc1e508047ac950b7c85ff5e37d8d585d6f2e29ce4099daf2ba04b2b5e43ca3","0xbdbdb71d7860376ba52b25a5028beea23581364a40522f6bcfb86bb1f2dca633","0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67","0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef","0xdfd517ed69f8a0a57d49fe494e4864fac3cfe3585c14c0bfddf39f72463ec3fd"],"isProven":false}');


--
-- Name: mikro_orm_migrations_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.mikro_orm_migrations_id_seq', 1, true);


--
-- Name: run_id_seq; Type: SEQUENCE SET; Schema: tokenwire_logs; Owner: -
--

SELECT pg_catalog.setval('tokenwire_logs.run_id_seq', 1, true);


--
-- Name: announced_contract announced_contract_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.announced_contract
    ADD CONSTRAINT announced_contract_pkey PRIMARY KEY (address);


--
-- Name: balance balance_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.balance
    ADD CONSTRAINT balance_pkey PRIMARY KEY (token, holder);


--
-- Name: block block_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.block
    ADD CONSTRAINT block_pkey PRIMARY KEY (number);


--
-- Name: block_undo block_undo_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.block_undo
    ADD CONSTRAINT block_undo_pkey PRIMARY KEY (block_number, "position");


--
-- Name: candle candle_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.candle
    ADD CONSTRAINT candle_pkey PRIMARY KEY ("time", token, interval_seconds);


--
-- Name: chain_state chain_state_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chain_state
    ADD CONSTRAINT chain_state_pkey PRIMARY KEY (id);


--
-- Name: creator_fee creator_fee_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.creator_fee
    ADD CONSTRAINT creator_fee_pkey PRIMARY KEY (launchpad, creator, currency, token);


--
-- Name: currency currency_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.currency
    ADD CONSTRAINT currency_pkey PRIMARY KEY (address);


--
-- Name: dropped_token dropped_token_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.dropped_token
    ADD CONSTRAINT dropped_token_pkey PRIMARY KEY (address);


--
-- Name: early_class early_class_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.early_class
    ADD CONSTRAINT early_class_pkey PRIMARY KEY (token, class);


--
-- Name: holder_code holder_code_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.holder_code
    ADD CONSTRAINT holder_code_pkey PRIMARY KEY (holder);


--
-- Name: index_totals index_totals_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.index_totals
    ADD CONSTRAINT index_totals_pkey PRIMARY KEY (id);


--
-- Name: join_exit join_exit_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.join_exit
    ADD CONSTRAINT join_exit_pkey PRIMARY KEY (block_number, log_index, pool);


--
-- Name: late_pair late_pair_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.late_pair
    ADD CONSTRAINT late_pair_pkey PRIMARY KEY (pool);


--
-- Name: launchpad_totals launchpad_totals_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.launchpad_totals
    ADD CONSTRAINT launchpad_totals_pkey PRIMARY KEY (launchpad);


--
-- Name: leader leader_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.leader
    ADD CONSTRAINT leader_pkey PRIMARY KEY (period, launchpad, maker);


--
-- Name: leader_window leader_window_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.leader_window
    ADD CONSTRAINT leader_window_pkey PRIMARY KEY (period);


--
-- Name: metadata metadata_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.metadata
    ADD CONSTRAINT metadata_pkey PRIMARY KEY (key);


--
-- Name: metadata_waiting metadata_waiting_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.metadata_waiting
    ADD CONSTRAINT metadata_waiting_pkey PRIMARY KEY (key, token);


--
-- Name: mikro_orm_migrations mikro_orm_migrations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.mikro_orm_migrations
    ADD CONSTRAINT mikro_orm_migrations_pkey PRIMARY KEY (id);


--
-- Name: milestone milestone_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.milestone
    ADD CONSTRAINT milestone_pkey PRIMARY KEY (kind, block_number, log_index);


--
-- Name: pool_creation pool_creation_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.pool_creation
    ADD CONSTRAINT pool_creation_pkey PRIMARY KEY (pool);


--
-- Name: pool pool_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.pool
    ADD CONSTRAINT pool_pkey PRIMARY KEY (address);


--
-- Name: pool_tick pool_tick_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.pool_tick
    ADD CONSTRAINT pool_tick_pkey PRIMARY KEY (pool, tick);


--
-- Name: reorg reorg_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.reorg
    ADD CONSTRAINT reorg_pkey PRIMARY KEY (number);


--
-- Name: token_name token_name_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.token_name
    ADD CONSTRAINT token_name_pkey PRIMARY KEY (token);


--
-- Name: token token_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.token
    ADD CONSTRAINT token_pkey PRIMARY KEY (address);


--
-- Name: trade trade_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.trade
    ADD CONSTRAINT trade_pkey PRIMARY KEY (block_number, log_index);


--
-- Name: trader trader_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.trader
    ADD CONSTRAINT trader_pkey PRIMARY KEY (maker);


--
-- Name: uncollected_fee uncollected_fee_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.uncollected_fee
    ADD CONSTRAINT uncollected_fee_pkey PRIMARY KEY (token);


--
-- Name: value_change value_change_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.value_change
    ADD CONSTRAINT value_change_pkey PRIMARY KEY (block_number, log_index);


--
-- Name: webhook_position webhook_position_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhook_position
    ADD CONSTRAINT webhook_position_pkey PRIMARY KEY (name);


--
-- Name: fact fact_pkey; Type: CONSTRAINT; Schema: tokenwire_logs; Owner: -
--

ALTER TABLE ONLY tokenwire_logs.fact
    ADD CONSTRAINT fact_pkey PRIMARY KEY (key);


--
-- Name: range range_pkey; Type: CONSTRAINT; Schema: tokenwire_logs; Owner: -
--

ALTER TABLE ONLY tokenwire_logs.range
    ADD CONSTRAINT range_pkey PRIMARY KEY (run, from_block);


--
-- Name: run run_pkey; Type: CONSTRAINT; Schema: tokenwire_logs; Owner: -
--

ALTER TABLE ONLY tokenwire_logs.run
    ADD CONSTRAINT run_pkey PRIMARY KEY (id);


--
-- Name: balance_by_holder; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX balance_by_holder ON public.balance USING btree (holder, last_changed_block, token) INCLUDE (balance) WHERE (balance > (0)::numeric);


--
-- Name: balance_by_size; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX balance_by_size ON public.balance USING btree (token, ((- balance)), holder) INCLUDE (balance, type) WHERE (balance > (0)::numeric);


--
-- Name: balance_out_of_circulation; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX balance_out_of_circulation ON public.balance USING btree (token) INCLUDE (balance, type) WHERE (type = ANY (ARRAY['burn'::text, 'locker'::text]));


--
-- Name: candle_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX candle_by_time ON public.candle USING btree (token, interval_seconds, in_usd, "time") INCLUDE (open, high, low, close, volume_wei, trades, volume_token, open_quote, high_quote, low_quote, close_quote, volume_quote, open_usd, high_usd, low_usd, close_usd, volume_usd, trades_usd);


--
-- Name: creator_fee_by_creator; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX creator_fee_by_creator ON public.creator_fee USING btree (creator, token, launchpad, currency);


--
-- Name: currency_by_read_again; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX currency_by_read_again ON public.currency USING btree (read_again_at_ms) WHERE (read_again_at_ms IS NOT NULL);


--
-- Name: currency_unread; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX currency_unread ON public.currency USING btree (address) WHERE (NOT is_read);


--
-- Name: early_trader_by_balance; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX early_trader_by_balance ON public.balance USING btree (token, balance, holder) WHERE ((first_trade_at IS NOT NULL) AND (classes > 0));


--
-- Name: early_trader_by_bought; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX early_trader_by_bought ON public.balance USING btree (token, COALESCE(bought_wei, '-Infinity'::numeric), holder) WHERE ((first_trade_at IS NOT NULL) AND (classes > 0));


--
-- Name: early_trader_by_realized; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX early_trader_by_realized ON public.balance USING btree (token, COALESCE(realized_wei, '-Infinity'::numeric), holder) WHERE ((first_trade_at IS NOT NULL) AND (classes > 0));


--
-- Name: early_trader_by_sold; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX early_trader_by_sold ON public.balance USING btree (token, COALESCE(sold_wei, '-Infinity'::numeric), holder) WHERE ((first_trade_at IS NOT NULL) AND (classes > 0));


--
-- Name: early_trader_by_volume; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX early_trader_by_volume ON public.balance USING btree (token, COALESCE((bought_wei + sold_wei), '-Infinity'::numeric), holder) WHERE ((first_trade_at IS NOT NULL) AND (classes > 0));


--
-- Name: late_pair_by_join; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX late_pair_by_join ON public.late_pair USING btree (joined_block);


--
-- Name: leader_by_bought; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX leader_by_bought ON public.leader USING btree (period, launchpad, bought_wei, maker);


--
-- Name: leader_by_realized; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX leader_by_realized ON public.leader USING btree (period, launchpad, realized_wei, maker);


--
-- Name: leader_by_sold; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX leader_by_sold ON public.leader USING btree (period, launchpad, sold_wei, maker);


--
-- Name: leader_by_volume; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX leader_by_volume ON public.leader USING btree (period, launchpad, ((bought_wei + sold_wei)), maker);


--
-- Name: metadata_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX metadata_due ON public.metadata USING btree (lane, attempts, next_attempt_at_ms) WHERE (next_attempt_at_ms IS NOT NULL);


--
-- Name: metadata_unannounced; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX metadata_unannounced ON public.metadata USING btree (key) WHERE (state = 'read'::text);


--
-- Name: pool_by_quote; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX pool_by_quote ON public.pool USING btree (quote_token);


--
-- Name: pool_by_token; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX pool_by_token ON public.pool USING btree (token);


--
-- Name: pool_creation_by_block; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX pool_creation_by_block ON public.pool_creation USING btree (block_number);


--
-- Name: pool_tick_set; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX pool_tick_set ON public.pool_tick USING btree (pool, tick) INCLUDE (liquidity) WHERE (liquidity <> (0)::numeric);


--
-- Name: token_by_created_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_created_at ON public.token USING btree (launchpad, graduation_status, created_at, address);


--
-- Name: token_by_creator; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_creator ON public.token USING btree (creator, launchpad, graduation_status, address) INCLUDE (created_at, market_cap_weth, volume_m5, volume_h1, volume_h24, price_change_m5, price_change_h1, price_change_h24, liquidity_weth, holder_count, trades_m5, trades_h1, trades_h24, last_trade_at, graduation_percent, migrated_at, trending);


--
-- Name: token_by_graduation; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_graduation ON public.token USING btree (launchpad, graduation_status, graduation_percent, address);


--
-- Name: token_by_holder_count; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_holder_count ON public.token USING btree (launchpad, graduation_status, holder_count, address);


--
-- Name: token_by_last_trade_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_last_trade_at ON public.token USING btree (launchpad, graduation_status, last_trade_at, address);


--
-- Name: token_by_liquidity; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_liquidity ON public.token USING btree (launchpad, graduation_status, liquidity_weth, address);


--
-- Name: token_by_market_cap; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_market_cap ON public.token USING btree (launchpad, graduation_status, market_cap_weth, address);


--
-- Name: token_by_migrated_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_migrated_at ON public.token USING btree (launchpad, graduation_status, migrated_at, address);


--
-- Name: token_by_name_prefix; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_name_prefix ON public.token USING btree (lower(name) text_pattern_ops);


--
-- Name: token_by_price_change_h1; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_price_change_h1 ON public.token USING btree (launchpad, graduation_status, price_change_h1, address);


--
-- Name: token_by_price_change_h24; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_price_change_h24 ON public.token USING btree (launchpad, graduation_status, price_change_h24, address);


--
-- Name: token_by_price_change_m5; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_price_change_m5 ON public.token USING btree (launchpad, graduation_status, price_change_m5, address);


--
-- Name: token_by_quote; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_quote ON public.token USING btree (quote_token, COALESCE(quote_rate, quote_usd), address) WHERE (quote_token IS NOT NULL);


--
-- Name: token_by_size; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_size ON public.token USING btree (market_cap_weth DESC NULLS LAST, address);


--
-- Name: token_by_surface; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_surface ON public.token USING btree (surface, launchpad, graduation_status, address) WHERE (surface IS NOT NULL);


--
-- Name: token_by_symbol; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_symbol ON public.token USING btree (lower(symbol) text_pattern_ops, market_cap_weth DESC NULLS LAST, address);


--
-- Name: token_by_trades_h1; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_trades_h1 ON public.token USING btree (launchpad, graduation_status, trades_h1, address);


--
-- Name: token_by_trades_h24; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_trades_h24 ON public.token USING btree (launchpad, graduation_status, trades_h24, address);


--
-- Name: token_by_trades_m5; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_trades_m5 ON public.token USING btree (launchpad, graduation_status, trades_m5, address);


--
-- Name: token_by_trending; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_trending ON public.token USING btree (launchpad, graduation_status, trending, address);


--
-- Name: token_by_updated_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_updated_at ON public.token USING btree (updated_at_ms);


--
-- Name: token_by_volume_h1; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_volume_h1 ON public.token USING btree (launchpad, graduation_status, volume_h1, address);


--
-- Name: token_by_volume_h24; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_volume_h24 ON public.token USING btree (launchpad, graduation_status, volume_h24, address);


--
-- Name: token_by_volume_m5; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_volume_m5 ON public.token USING btree (launchpad, graduation_status, volume_m5, address);


--
-- Name: token_by_windows_expire_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_by_windows_expire_at ON public.token USING btree (windows_expire_at) WHERE (windows_expire_at IS NOT NULL);


--
-- Name: token_name_by_suffix; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_name_by_suffix ON public.token_name USING btree (reverse(lower(name)) text_pattern_ops);


--
-- Name: token_name_by_words; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_name_by_words ON public.token_name USING gin (to_tsvector('simple'::regconfig, name)) WITH (fastupdate=off);


--
-- Name: trade_by_maker; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trade_by_maker ON public.trade USING btree (token, maker, side, block_number, log_index);


--
-- Name: trade_by_size; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trade_by_size ON public.trade USING btree (width_bucket(amount_wei, '{100000000000000000,200000000000000000,500000000000000000,1000000000000000000,2000000000000000000,5000000000000000000,10000000000000000000,20000000000000000000,50000000000000000000,100000000000000000000,200000000000000000000,500000000000000000000}'::numeric[]), block_number, log_index) WHERE (amount_wei >= ('100000000000000000'::bigint)::numeric);


--
-- Name: trade_by_token; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trade_by_token ON public.trade USING btree (token, side, block_number, log_index);


--
-- Name: trade_by_token_amount; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trade_by_token_amount ON public.trade USING btree (token, ((side = 'buy'::text)), amount_wei, block_number, log_index) WHERE (amount_wei IS NOT NULL);


--
-- Name: trade_by_token_size; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trade_by_token_size ON public.trade USING btree (token, ((width_bucket(amount_wei, '{100000000000000000,200000000000000000,500000000000000000,1000000000000000000,2000000000000000000,5000000000000000000,10000000000000000000,20000000000000000000,50000000000000000000,100000000000000000000,200000000000000000000,500000000000000000000}'::numeric[]))::smallint), block_number, log_index) WHERE (amount_wei >= ('100000000000000000'::bigint)::numeric);


--
-- Name: trade_by_token_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trade_by_token_time ON public.trade USING btree (token, "timestamp", block_number, log_index);


--
-- Name: trade_by_wallet; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trade_by_wallet ON public.trade USING btree (maker, side, block_number, log_index);


--
-- Name: trader_by_balance; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trader_by_balance ON public.balance USING btree (token, balance, holder) WHERE (first_trade_at IS NOT NULL);


--
-- Name: trader_by_bought; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trader_by_bought ON public.balance USING btree (token, COALESCE(bought_wei, '-Infinity'::numeric), holder) WHERE (first_trade_at IS NOT NULL);


--
-- Name: trader_by_last_trade_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trader_by_last_trade_at ON public.trader USING btree (last_trade_at);


--
-- Name: trader_by_realized; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trader_by_realized ON public.balance USING btree (token, COALESCE(realized_wei, '-Infinity'::numeric), holder) WHERE (first_trade_at IS NOT NULL);


--
-- Name: trader_by_sold; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trader_by_sold ON public.balance USING btree (token, COALESCE(sold_wei, '-Infinity'::numeric), holder) WHERE (first_trade_at IS NOT NULL);


--
-- Name: trader_by_volume; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trader_by_volume ON public.balance USING btree (token, COALESCE((bought_wei + sold_wei), '-Infinity'::numeric), holder) WHERE (first_trade_at IS NOT NULL);


--
-- Name: range range_run_fkey; Type: FK CONSTRAINT; Schema: tokenwire_logs; Owner: -
--

ALTER TABLE ONLY tokenwire_logs.range
    ADD CONSTRAINT range_run_fkey FOREIGN KEY (run) REFERENCES tokenwire_logs.run(id) ON DELETE CASCADE;


--
-- PostgreSQL database dump complete
--

\unrestrict 0kALo7rfYGSWAGdnStExfNDZefk2gvBOQiUUIaiekPQEWnxQyVRRmZxZpWSK2aL

