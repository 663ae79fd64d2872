"""Families of words that reviewers use for one thing: data alone, one concept a line.

`name: words`, as people write them; `_` joins the words of a phrase; `*` ends a beginning ("parallel*").
A word may belong to several families. Families are of the field (software, its plans and its operation),
not of any one project; add a word only when it means the concept wherever it stands in a review.
"""

FAMILIES = """
rollback: rollback roll_back rolled_back revert reverted reverting reversible irreversible undo undone backout back_out downgrade down_migration reverse restore way_back get_them_back rolling_back irrecoverabl* destroy* only_record
repeat: twice again duplicate duplicates duplicated duplication double doubled second_time redeliver* re-deliver* redelivery replay* reprocess* processed_again resend resent resubmit* dedup* deduplicat* idempot* at-least-once at_least_once repeat* rerun re-run replays
retry: retry retries retried retrying reattempt* re-attempt attempts backoff back-off give_up
unbounded: unbounded unlimited limitless endless* forever for_ever infinite* indefinite* never_ends no_limit no_upper no_bound no_cap without_limit uncapped never_give while_true upper_bound grows grow growth limit limits limited maximum cap capped bound bounded bounds quota quotas exhaust*
timeout: timeout timeouts time_out times_out deadline deadlines hang hangs hanging hung stuck block_forever stall* unresponsive
race: race races racy concurren* simultaneous* parallel* interleav* toctou at_once same_time same_instant overlap* two_processes two_requests two_workers check-then-act lost_update double-submit atomically atomic* non-atomic
lock: lock locks locked locking mutex semaphore contention deadlock* block_writers blocking_writers blocks_writers holds_the_lock
transaction: transaction* commit commits committed atomic* all-or-nothing begin savepoint outbox half-applied
partial: partial* half half-written half-finished incomplete* in_between in-between middle interrupted interruption crash_between between_the_two die dies two_steps halfway torn
crash: crash* panic* abort* segfault die dies dying killed kill kills oom power_loss restart restarts restarted
lose: lose loses losing lost loss dropped drop drops discard* vanish* disappear* silently_drop miss misses missed missing_events overwritten overwrite overwrites
overwrite: overwrite* overwritten clobber* last-write-wins last_write replace* wins stomp*
auth: auth authenticat* unauthenticated login logins log_in logged_in sign_in signed_in signed-in signin sign-in logout log_out signs_out sign_out credentials identity session sessions sso oauth*
authorization: authoriz* unauthoriz* permission* privilege* acl rbac access_control ownership owner allowed forbidden role roles admin administrator least_privilege scope_of_token write_access contents_write
session: session sessions login logins signed_in signed-in logged_in cookie cookies device devices
password: password passwords passphrase credential credentials
invalidate: invalidat* revoke* revocation expire* expiry expiration purge* evict* stale outdated out-of-date out_of_date old_copy survive* surviving stays_signed remain* keep_working ttl
token: token tokens jwt bearer refresh_token access_token api_key apikey
secret: secret secrets credential* password* api_key apikey private_key key_material token tokens .env env_file environment_files
storage_browser: localstorage local_storage sessionstorage browser_storage httponly cookie cookies
script_injection: xss cross-site javascript injected_script script scripts html_injection innerhtml sanitiz* escape* unescaped
injection: inject* sqli interpolat* concatenat* unescaped unsanitized unsanitised sanitiz* parameteriz* parameteris* bound_parameter prepared escap* shell_injection formula
traversal: traversal path_traversal os.path.join dotdot ../ file_name_from filename_from attacker-controlled escape_the symlink* outside_the
validate: validat* unvalidated check* checked sanitiz* malformed invalid untrusted trusts trust reject* whitelist allowlist allow-list accept*
signature: signature* signed unsigned sign verif* tamper* forg* authenticity hmac
encrypt: encrypt* plaintext plain_text cleartext clear_text unencrypted tls ssl https
leak_data: leak* expose* exposed exposes disclos* exfiltrat* see_one read_each reads_another other_customers other_tenants cross-tenant cross_tenant reach visible_to
tenant: tenant tenants tenancy customer customers organisation* organization* account accounts workspace multi-tenant
privacy: privacy personal pii gdpr retention ip_addresses ips anonymi* personal_data sensitive redact* email e-mail addresses names bodies request_body request_bodies leave_the_region
retention: retention retain* kept keep purge* older erase* erased delete_after cleanup grow* grows_for history expired_rows
logging: log logs logged logging logger log_line print prints printed stdout stderr verbos* trace
monitor: monitor* alert* metric* observab* telemetry dashboard instrument* measure*
test: test tests tested testing untested unit_test regression_test coverage covered exercised exercise* suite assert* simulate* mocked mock mocks fixture
fixture: fixture fixtures seed seeds seed_files factories factory test_data sample_data
error: error errors exception exceptions failure failures fail fails failed failing catch catches caught unhandled
swallow: swallow* silent silently ignore* ignored suppress* discard* hides hidden without_a_message no_message unnoticed quiet*
message: message messages told tell feedback notify user_sees notice
performance: performance slow slower latency throughput n+1 quadratic expensive full_scan table_scan full_table scan scans speed hot_path inefficient
index: index indexes indices composite unindexed without_an_index missing_index full_table table_scan
memory: memory ram oom buffer* buffers heap allocate* allocation footprint in-memory entire_body whole_body everything_into one_go whole_file complete_file entire_file at_once streaming streamed list(reader) everything_in
stack: stack stack_overflow
disk: disk disc space free_space storage full filesystem
size: size sizes large larger larg* big oversized huge too_big content-length megabytes mb gb kib
schema: schema schemas ddl column columns table tables contract field fields renamed_field
migration: migrat* backfill* alter_table drop_column schema_change data_migration
column: column columns field fields attribute
delete: delete* deleted deletes remov* removal drop drops dropped gone erase* purge* truncate* cleanup clean_up not_deleted
temporary: temporary temp tmp leftover left-over leftovers orphan* stale_files
rollout: rollout rolling_deploy rolling deploy* deployment* old_pod old_instances old_pods old_version instances pods during_the_rollout release_later one_release blue-green canary
order: order ordering ordered sequence sequenc* first before after later earlier then precede*
sort: sort sorted sorting ordered_by order_by sort_order on_top by_activity by_creation last_use recency
depends: depend* dependency dependencies depends_on prerequisite* needs_the waits waits_for waits_only upstream_plan
wave: wave waves same_wave parallel_plans
conflict_files: same_file files_modified merge_conflict* edits_in_two touch_the two_plans both_edit both_plans parallel_edits collide* collision
coverage_req: requirement requirements covered uncovered in_no_plan no_plan not_covered unaddressed roadmap traceability
contradiction: contradict* inconsisten* mismatch* conflict* disagree* diverge* differ* drift* two_names in_one_place one_place another both_names different_names spelt spelled mixed
naming: name names named naming rename* called misnamed identifier misleading spelling spelt typo* terminology
docs: document* docs doc readme changelog javadoc docstring comment comments badge manual guide
vague: vague* ambig* under-specif* underspecif* unspecif* undefined not_defined not_specified not_described unclear hand-wav* tbd not_say does_not_say doesn't_say nowhere open_question left_open
hardcoded: hardcod* hard-cod* hard_coded literal* magic constant constants fixed_value
default: default defaults fallback out_of_the_box preset
config: config* setting settings option options environment_variable env_var flag flags parameter
debug: debug debug_mode stack_trace stack_traces verbose development_mode
production: production prod live in_the_field
release: release releases publish* published ship ships shipped shipping upload_to distribution
tag: tag tags tagged tag_format any_tag arbitrary_tag version_tag
artifact: artifact* artefact* wheel binary binaries build builds built rebuild* rebuilt bundle package what_is_uploaded what_is_published uploaded
pin: pin pinned pinning unpinned sha shas commit_hash lockfile supply_chain supply-chain third-party_actions actions/checkout version_range
ci: ci workflow workflows pipeline_job github_actions job jobs runner runners
container: container containers docker dockerfile image images layer layers compose build_context
root: root run_as_root non-root uid privileged
cache: cache caches cached caching memoiz* redis lookup_key cache_key
key: key keys lookup_key cache_key composite_key scoped
clock: clock clocks clock_skew skew timestamp* time_zone timezone utc dst wrong_clock device_clock wall_clock drift server-side_version
version: version versions versioning semver 1.10 1.9 strcmp version_numbers compared_as compare* comparing
string: string strings strcmp text textual lexicographic* as_a_string
power: power_loss power interrupted brick* bricking bootable fallback_partition a/b ab_slot slot slots partition recovery_partition
battery: battery drain* polling interval aggressive wakeups
polling: poll polls polling interval every_30 half_a_minute 30_seconds background_interval rate_of_update
queue: queue queues queued pending pending_operations pending_changes backlog enqueue*
persist: persist* not_persisted in-memory in_memory only_in_ram ram durable durability survive* after_a_restart lost_when app_is_killed restart_of
offline: offline disconnect* connectivity no_network network_loss going_offline
network: network connection connections socket upstream remote
ratelimit: rate_limit* ratelimit* rate-limit* throttl* flood* abuse brute
jitter: jitter thundering herd thundering_herd randomi* same_instant simultaneous* synchronized wake_at reconnect* same_delay fixed_delay
post: post non-idempotent create_call mutating unsafe_method
rounding: round* float* floating decimal precision currency cents
money: money amount amounts price invoice* billed billing bill charge* charged payment* currency total
watermark: watermark late late_events hourly_batches batches_for out-of-order arrives_late
batch: batch* chunk* one_statement giant all_rows bulk single_update in_one
visible: reader readers observe* visible half-written staging move_into_place final_prefix dirty_read
search: search* query queries find lookup
searchindex: search_index reindex* alias index_is_being rebuild* rebuilt
event: event events message messages record records
consumer: consumer* subscriber* worker workers handler handlers
ui: ui button buttons dialog modal page screen view form layout component
focus: focus trap keyboard tab_leaves tab_order keyboard_users keyboard_navigation behind_it underneath
contrast: contrast colour color yellow wcag readable legib*
loading: loading spinner skeleton placeholder while_data blank empty_for empty_table fetching
i18n: i18n internationali* translat* locali* locale hard_coded_in_english english labels
accessibility: accessib* a11y aria screen_reader wcag keyboard
confirm: confirm* confirmation are_you_sure accidental
verification: verif* acceptance criterion criteria verify_step gate gates check checks automated
textmatch: grep text_search text-search occurs word_occurs search_the_source contains_the_word comment string_match proves_nothing
vacuous: vacuous* always_passes passes_on passes_anyway exits_0 exit_0 exit_status green false_green no_test_matches zero_tests proves_nothing not_fail-closed fail-open cannot_fail matches_nothing no_test filtered
shell: bash shell powershell windows unix posix grep stat sed
nonexistent: exist exists nonexistent non-existent not_exist no_such missing_file not_there beyond_the_end
lines: line lines line_number beyond_the_end
scope: scope scopes creep mixes split overloaded too_large too_much refactoring_with
compat: compat* backward* breaking breaks break deprecat* old_clients existing_clients
dead: dead unused unreachable never_used not_used unneeded
typing: type types typed typing any cast nullable
null: null nil none undefined npe optional empty
offbyone: off-by-one off_by boundary boundaries edge_case edge_cases fencepost
pagination: pagina* page pages cursor offset limit_of next_page
sync_block: synchronous* sync blocking blocks main_thread ui_thread event_loop deadlock* getawaiter
async: async* await awaited promise promises callback* future coroutine
thread: thread threads threading goroutine* worker_thread
leak_resource: leak* never_closed not_closed unclosed handle handles descriptor* dispose* release_the cleanup
shutdown: shutdown terminat* sigterm graceful* drain stop stops
webhook: webhook* callback_url hook hooks
upload: upload* body multipart attachment* large_uploads
download: download* fetch fetched
filename: file_name filename file_names name_from
contenttype: content-type content_type mime mimetype
file: file files
flag: feature_flag flag flags toggle kill_switch
backup: backup* snapshot* restore* archive*
license: licen* copyright
cost: cost costs expensive spend
environment: environment environments staging dev
monolith: everything_in_one god_object too_many
api: api endpoint endpoints route routes rest graphql
response: response responses reply answer status_code
header: header headers cors samesite same-site csrf
origin: origin cors cross-origin
concurrency_group: concurrency concurrency_group releases_overlap
symbol: symbol function method class signature_of does_not_exist nearest
duplicatecode: copy copied copies copy-paste duplicated_code repeated_code
small: small tiny many_files small_files
watch: watch* watcher inotify fsnotify
permissionsfile: mode 0666 0600 chmod umask world-readable
dns: dns resolve resolver hostname
proxy: proxy gateway load_balancer balancer health_check healthcheck health
pool: pool pooling pool_size connection_pool connections
hash: hash* checksum* digest md5 sha256
random: random* seed entropy uuid nonce
float_compare: equality comparison compare*
serialization: serializ* serialis* marshal* parse parsing parser decode encode json yaml xml
unicode: unicode utf-8 encoding charset emoji
csv: csv export spreadsheet excel
unittest: single_writer no_test untested never_tested not_tested nothing_exercises exercises
optimistic: optimistic rollback_on saved_title way_back catch_branch
largefile: large_file large_files multipart gb 5_gb above_every huge_file
rendering: render* re-render* rerender* keystroke keystrokes typing lag lags laggy debounce memoise memoize each_key each_character stutter jank
noproof: proves_nothing nothing_proves prove* compares_with nobody_compares only_prints compared_with never_compared
isolation: isolat* share shares shared same_directory same_folder temporary_folder depend_on_their independent
rowsecurity: row_level rls policies policy bypass* table_owner force
port: port ports bind taken loopback listener already_in_use
sampling: sampl* tracing every_request trace_every
daylight: daylight summer_time winter_time dst clocks_change clock_change local_time local_clock time_change executed_twice runs_twice
background: background background_job inside_the_request inside_request inline acknowledge* immediately defer* hand_the_work synchronous* asynchronous* in_the_request foreground
rawbytes: raw raw_bytes raw_body parsed parses parsed_payload re-serialised re-serialized reserialized payload body bytes whitespace altered canonical*
arrival: arriv* arrives_before arriving_before precede* out-of-order out_of_order different_orders late early wrong_order
runremote: pipes piped curl bootstrap installer install install* executes_whatever whatever_the_server unverified untrusted_source
checksum: checksum* sha-256 sha256 sha256sum sums digest integrity verif* unverified
location: location locations moved moves xdg path paths folder folders directory directories no_longer_finds find_settings existing_files old_place
upgrade: upgrad* earlier_versions previous_version old_version existing_users existing_installs existing_files profiles after_the_update
stdout: stdout stream streams machine-readable machine_readable json_output --json status_lines progress same_stream
exitcode: exit exits exit_code exit_codes return_code return_status return_value status_code same_return distinguish*
datasplit: leakage split test_set evaluation_data full_data fitted train training validation_set holdout
reproduce: seed seeds random* reproduc* determinis* nondeterminis* non-deterministic different_numbers same_config flaky flak*
accumulate: accumulat* never_deleted fills fill_up volume snapshots checkpoints retention grow grows growth pile piles disk_usage unbounded older
imbalance: imbalance* positives positive_samples constant_classifier wrong_metric skewed
clienttrust: client-supplied client_supplied from_the_client believes trusts trusted trust accepted_from cheat* hack hacks modified_packet coordinates positions whatever user-supplied supplied_by user-controlled user_controlled
loopspin: loop loops spin spins infinite reconcile retrigger* triggers_another wakes_the same_controller recursion recursive
stuckdelete: finalizer* terminating deletion already_gone deleted_by_hand stuck hang hangs
leader: leader election elects replicas replica competing fight more_than_one split-brain
handshake: handshake upgrade_does websocket websockets socket hijack* cross-site origin
catchup: gap reconnect* disconnected catch-up catch_up not_fetched miss_messages last_seen resume resynchroni* while_they catch-up catches_up caught_up missed_runs downtime after_a_long backlog in_a_row weekend
fanout: broadcast* everyone all_members all_rooms fan-out fan_out heartbeat ping pings each_ping every_member
formula: formula formulas cells cell spreadsheet csv_injection begin_with begins_with execute_it opening_the
filter: filter* hides hidden archived appear exclude* shown
publiclink: public publicly guess* guesses link links url unauthenticated without_being predictable
dateformat: date dates date_format locale timezone culture
disconnect: disconnect* drops_out connection_loss goes_offline half_way dropped_connection
literal: literal hard_coded hardcoded hard-coded list_in from_a_file baked constant
wildcard: wildcard cluster-wide every_secret all_secrets grants too_broad overly_broad least_privilege restrict*
powerloss: power_loss interrupted interruption in_the_middle crash_during halfway
readers: readers reader consumer_sees see_half incomplete_output half-written
activity: activity last_use last_used recently by_activity creation by_creation
ipaddress: ip ips ip_addresses address addresses personal
shellportability: bash powershell windows unix posix bash-only grep_and stat unix-style does_not_have macos linux-only
textsearch: text_search grep occurs passes_on string_match word_occurs contains_the checking_that
noverify: no_verification nothing_verifies unverified not_verified without_verification
statement: one_statement giant_update giant one_update batching batch all_rows chunk* minutes for_minutes
durable: durable persist* in_memory memory ram lost_when disappear* restart app_is_killed kept_in
notice: message notice notified told silent* silently
freespace: free_space disk_is_full disk_full full_disk space out_of_disk larger_than
battery2: battery interval 30_seconds half_a_minute background_interval polling too_aggressive
stale2: stale outdated invalidat* purge* never_invalidated old_copy after_an_update edited on_write
retention2: retention 24_h 48_h one_day two_days erased contradicts survive
outboxgap: outside_the_transaction after_the_commit written_after between_the_two crash_in_between dies_between misses_documents loses_the
contract: contract schema compatib* renamed_field field_upstream upstream schema_changes nothing_checks
wcag: wcag contrast aa yellow white colour color
spinner: loading spinner skeleton empty_for blank_table while_data slow_connections
translate: translation translated internationali* i18n hard_coded_in labels texts english
fallbackslot: a/b slot fallback bootable brick* partition
seeddata: fixtures fixture seed_files seeds factories test_data old_column
rolldeploy: rolling_deploy rollout old_pod old_instances still_select still_reads still_reads_it stops_using one_release version_n
doublecharge: billed_twice charged_twice charged_a double_billing double_charge second_time duplicate_charges
largebody: whole_body buffers reads_everything everything_into into_memory body_before size memory_exhaustion large_uploads
email: email e-mail mail smtp
schedule: schedul* cron nightly daily job interval
ownerless: nobody no_owner no_one unowned who_owns responsible
"""


# Families that more than one concern in twenty belongs to, whatever it is about (counted over the labelled
# texts of bench/truth): they count less.
EVERYDAY = frozenset({"naming", "order", "test", "error", "validate", "file", "config", "ci", "verification", "location",
                      "event", "docs", "lose", "delete", "logging", "consumer", "typing", "key", "null"})  # fmt: skip

# Concepts in languages written without spaces: a pattern, and the family that it belongs to.
WIDE_FAMILIES = (
    ("repeat", "重複|二重|冪等|再送|再配信|重复|幂等|重发|중복|멱등|재전송"),
    ("unbounded", "上限|無制限|無限|限界|无限|上限|限制|무한|상한|제한"),
    ("rollback", "ロールバック|切り戻|元に戻|回滚|还原|롤백|되돌"),
    ("race", "競合|排他|同時|並行|竞态|并发|同时|加锁|경합|동시|잠금"),
    ("test", "テスト|試験|测试|用例|테스트|검증"),
    ("lose", "失われ|消失|欠落|丢失|遗漏|손실|유실"),
    ("auth", "認証|ログイン|セッション|认证|登录|会话|인증|로그인|세션"),
    ("authorization", "認可|権限|授权|权限|권한|인가"),
    ("secret", "トークン|秘密|パスワード|令牌|密钥|密码|토큰|비밀|암호"),
    ("logging", "ログ|日志|로그"),
    ("timeout", "タイムアウト|固まり|超时|타임아웃|시간 ?초과"),
    ("cache", "キャッシュ|缓存|캐시"),
    ("invalidate", "無効化|失効|期限|失效|过期|무효|만료"),
    ("vague", "未定義|定義されて|曖昧|不明|定义|未说明|没有说明|모호|정의되지|불명확"),
    ("naming", "命名|変数名|キー名|名称|이름|변수명"),
    ("contradiction", "揺れ|混在|矛盾|不一致|不统一|불일치|모순|혼용"),
    ("injection", "インジェクション|注入|エスケープ|转义|인젝션|주입"),
    ("performance", "性能|遅|パフォーマンス|慢|성능|느"),
    ("docs", "ドキュメント|文書|README|文档|注释|문서|주석"),
    ("migration", "マイグレーション|移行|迁移|마이그레이션|이전"),
    ("error", "エラー|例外|失敗|错误|异常|失败|오류|예외|실패"),
    ("ratelimit", "レート制限|流量|限流|속도 ?제한"),
    ("config", "設定|配置|설정"),
    ("retry", "再送|再試行|リトライ|重试|재시도"),
)
