CREATE TABLE "deletions" (
	"submission" text PRIMARY KEY NOT NULL,
	"chunks_deleted" integer NOT NULL,
	"bytes_deleted" bigint NOT NULL,
	"chunks_kept" integer NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"statement" text
);
--> statement-breakpoint
ALTER TABLE "deletions" ADD CONSTRAINT "deletions_submission_submissions_id_fk" FOREIGN KEY ("submission") REFERENCES "public"."submissions"("id") ON DELETE no action ON UPDATE no action;