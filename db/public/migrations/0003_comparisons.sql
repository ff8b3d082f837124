CREATE TABLE "comparisons" (
	"list" text PRIMARY KEY NOT NULL,
	"season" text NOT NULL,
	"track" text,
	"split" text,
	"systems" text[] NOT NULL,
	"first_size" bigint NOT NULL,
	"last_size" bigint NOT NULL,
	"log_size" bigint,
	"comparison" text,
	"digest" text,
	"verdicts" text,
	"leaf" bigint,
	"at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "comparisons" ADD CONSTRAINT "comparisons_season_seasons_id_fk" FOREIGN KEY ("season") REFERENCES "public"."seasons"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "comparisons_season_track_last_size_index" ON "comparisons" USING btree ("season","track","last_size");