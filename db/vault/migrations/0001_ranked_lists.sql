CREATE TABLE "ranked_lists" (
	"season" text NOT NULL,
	"track" text NOT NULL,
	"split" text NOT NULL,
	"size" bigint NOT NULL,
	"rows" jsonb NOT NULL,
	"tracks" jsonb NOT NULL,
	"open" boolean NOT NULL,
	CONSTRAINT "ranked_lists_season_track_split_pk" PRIMARY KEY("season","track","split")
);
