CREATE TABLE "accounts" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"maintainer" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "attachments" (
	"grading" text NOT NULL,
	"sha256" text NOT NULL,
	"size" integer NOT NULL,
	"kind" text NOT NULL,
	"arrived_at" timestamp (3) with time zone,
	CONSTRAINT "attachments_grading_sha256_pk" PRIMARY KEY("grading","sha256")
);
--> statement-breakpoint
CREATE TABLE "audit" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"actor" text NOT NULL,
	"act" text NOT NULL,
	"subject" text NOT NULL,
	"reason" text,
	"detail" jsonb DEFAULT '{}'::jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "entries" (
	"id" text PRIMARY KEY NOT NULL,
	"team" text NOT NULL,
	"season" text NOT NULL,
	"agent" text NOT NULL,
	"agent_harness" text,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "events" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"submission" text NOT NULL,
	"kind" text NOT NULL,
	"state" text NOT NULL,
	"reason" text,
	"progress" jsonb,
	"at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "feed" (
	"number" bigint PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"jws" text NOT NULL,
	"digest" text NOT NULL,
	"order" text,
	"at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gradings" (
	"id" text PRIMARY KEY NOT NULL,
	"submission" text NOT NULL,
	"number" integer NOT NULL,
	"cause" text NOT NULL,
	"reason" text,
	"state" text NOT NULL,
	"order" text NOT NULL,
	"order_digest" text NOT NULL,
	"split" text NOT NULL,
	"settings" text NOT NULL,
	"ordered_at" timestamp (3) with time zone NOT NULL,
	"finished_at" timestamp (3) with time zone,
	"progress" jsonb,
	"report_digest" text,
	"report" text,
	"result" jsonb,
	"maintainers_part" text,
	"published_at" timestamp (3) with time zone,
	"leaf" bigint,
	CONSTRAINT "gradings_order_unique" UNIQUE("order"),
	CONSTRAINT "gradings_report_digest_unique" UNIQUE("report_digest")
);
--> statement-breakpoint
CREATE TABLE "idempotency" (
	"actor" text NOT NULL,
	"key" text NOT NULL,
	"request" text NOT NULL,
	"status" integer,
	"reply" jsonb,
	"at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "idempotency_actor_key_pk" PRIMARY KEY("actor","key")
);
--> statement-breakpoint
CREATE TABLE "ledger" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"team" text NOT NULL,
	"run" text NOT NULL,
	"submission" text NOT NULL,
	"account" text NOT NULL,
	"act" text NOT NULL,
	"reason" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "log_leaves" (
	"season" text NOT NULL,
	"index" bigint NOT NULL,
	"text" text NOT NULL,
	"hash" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "log_leaves_season_index_pk" PRIMARY KEY("season","index")
);
--> statement-breakpoint
CREATE TABLE "members" (
	"team" text NOT NULL,
	"account" text NOT NULL,
	"role" text NOT NULL,
	"since" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "members_team_account_pk" PRIMARY KEY("team","account")
);
--> statement-breakpoint
CREATE TABLE "notices" (
	"id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"digest" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "runners_seen" (
	"runner" text PRIMARY KEY NOT NULL,
	"capabilities" jsonb NOT NULL,
	"at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "runs" (
	"id" text PRIMARY KEY NOT NULL,
	"entry" text NOT NULL,
	"track" text NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"end_reason" text
);
--> statement-breakpoint
CREATE TABLE "seasons" (
	"id" text PRIMARY KEY NOT NULL,
	"definition" text NOT NULL,
	"document" jsonb NOT NULL,
	"board_version" bigint DEFAULT 0 NOT NULL,
	"board_changed_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "splits_held" (
	"season" text NOT NULL,
	"track" text NOT NULL,
	"purpose" text NOT NULL,
	"split" text NOT NULL,
	"tasks" integer NOT NULL,
	"secrecy" text NOT NULL,
	"commitment" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "splits_held_season_track_purpose_split_pk" PRIMARY KEY("season","track","purpose","split")
);
--> statement-breakpoint
CREATE TABLE "submission_chunks" (
	"submission" text NOT NULL,
	"sha256" text NOT NULL,
	"size" integer NOT NULL,
	CONSTRAINT "submission_chunks_submission_sha256_pk" PRIMARY KEY("submission","sha256")
);
--> statement-breakpoint
CREATE TABLE "submissions" (
	"id" text PRIMARY KEY NOT NULL,
	"run" text NOT NULL,
	"purpose" text NOT NULL,
	"state" text NOT NULL,
	"state_at" timestamp (3) with time zone NOT NULL,
	"state_reason" text,
	"system" text NOT NULL,
	"manifest" jsonb NOT NULL,
	"bytes" bigint NOT NULL,
	"committed_at" timestamp (3) with time zone NOT NULL,
	"committed_by" text NOT NULL,
	"committed_with" text NOT NULL,
	"upload_until" timestamp (3) with time zone NOT NULL,
	"problems" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"withdrawn_at" timestamp (3) with time zone,
	"current_grading" text
);
--> statement-breakpoint
CREATE TABLE "team_chunks" (
	"team" text NOT NULL,
	"sha256" text NOT NULL,
	"size" integer NOT NULL,
	"arrived_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "team_chunks_team_sha256_pk" PRIMARY KEY("team","sha256")
);
--> statement-breakpoint
CREATE TABLE "teams" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "teams_name_unique" UNIQUE("name")
);
--> statement-breakpoint
CREATE TABLE "tokens" (
	"jti" text PRIMARY KEY NOT NULL,
	"account" text NOT NULL,
	"team" text,
	"scopes" text[] NOT NULL,
	"label" text NOT NULL,
	"issued_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"revoked_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "tree_heads" (
	"season" text NOT NULL,
	"size" bigint NOT NULL,
	"root" text NOT NULL,
	"gateway" text NOT NULL,
	"grader" text,
	"at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "tree_heads_season_size_pk" PRIMARY KEY("season","size")
);
--> statement-breakpoint
ALTER TABLE "attachments" ADD CONSTRAINT "attachments_grading_gradings_id_fk" FOREIGN KEY ("grading") REFERENCES "public"."gradings"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "entries" ADD CONSTRAINT "entries_team_teams_id_fk" FOREIGN KEY ("team") REFERENCES "public"."teams"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "entries" ADD CONSTRAINT "entries_season_seasons_id_fk" FOREIGN KEY ("season") REFERENCES "public"."seasons"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "events" ADD CONSTRAINT "events_submission_submissions_id_fk" FOREIGN KEY ("submission") REFERENCES "public"."submissions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gradings" ADD CONSTRAINT "gradings_submission_submissions_id_fk" FOREIGN KEY ("submission") REFERENCES "public"."submissions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ledger" ADD CONSTRAINT "ledger_team_teams_id_fk" FOREIGN KEY ("team") REFERENCES "public"."teams"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ledger" ADD CONSTRAINT "ledger_run_runs_id_fk" FOREIGN KEY ("run") REFERENCES "public"."runs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ledger" ADD CONSTRAINT "ledger_submission_submissions_id_fk" FOREIGN KEY ("submission") REFERENCES "public"."submissions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "log_leaves" ADD CONSTRAINT "log_leaves_season_seasons_id_fk" FOREIGN KEY ("season") REFERENCES "public"."seasons"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "members" ADD CONSTRAINT "members_team_teams_id_fk" FOREIGN KEY ("team") REFERENCES "public"."teams"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "members" ADD CONSTRAINT "members_account_accounts_id_fk" FOREIGN KEY ("account") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "runs" ADD CONSTRAINT "runs_entry_entries_id_fk" FOREIGN KEY ("entry") REFERENCES "public"."entries"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "submission_chunks" ADD CONSTRAINT "submission_chunks_submission_submissions_id_fk" FOREIGN KEY ("submission") REFERENCES "public"."submissions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "submissions" ADD CONSTRAINT "submissions_run_runs_id_fk" FOREIGN KEY ("run") REFERENCES "public"."runs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "submissions" ADD CONSTRAINT "submissions_committed_by_accounts_id_fk" FOREIGN KEY ("committed_by") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "team_chunks" ADD CONSTRAINT "team_chunks_team_teams_id_fk" FOREIGN KEY ("team") REFERENCES "public"."teams"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tokens" ADD CONSTRAINT "tokens_account_accounts_id_fk" FOREIGN KEY ("account") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tokens" ADD CONSTRAINT "tokens_team_teams_id_fk" FOREIGN KEY ("team") REFERENCES "public"."teams"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tree_heads" ADD CONSTRAINT "tree_heads_season_seasons_id_fk" FOREIGN KEY ("season") REFERENCES "public"."seasons"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "audit_subject_index" ON "audit" USING btree ("subject");--> statement-breakpoint
CREATE INDEX "entries_season_index" ON "entries" USING btree ("season");--> statement-breakpoint
CREATE INDEX "events_submission_id_index" ON "events" USING btree ("submission","id");--> statement-breakpoint
CREATE UNIQUE INDEX "gradings_submission_number_index" ON "gradings" USING btree ("submission","number");--> statement-breakpoint
CREATE INDEX "gradings_state_index" ON "gradings" USING btree ("state");--> statement-breakpoint
CREATE UNIQUE INDEX "ledger_submission_account_act_index" ON "ledger" USING btree ("submission","account","act");--> statement-breakpoint
CREATE INDEX "ledger_team_index" ON "ledger" USING btree ("team");--> statement-breakpoint
CREATE INDEX "ledger_run_index" ON "ledger" USING btree ("run");--> statement-breakpoint
CREATE UNIQUE INDEX "runs_entry_track_index" ON "runs" USING btree ("entry","track");--> statement-breakpoint
CREATE INDEX "submission_chunks_sha256_index" ON "submission_chunks" USING btree ("sha256");--> statement-breakpoint
CREATE INDEX "submissions_run_index" ON "submissions" USING btree ("run");--> statement-breakpoint
CREATE INDEX "submissions_state_index" ON "submissions" USING btree ("state");--> statement-breakpoint
CREATE INDEX "team_chunks_sha256_index" ON "team_chunks" USING btree ("sha256");