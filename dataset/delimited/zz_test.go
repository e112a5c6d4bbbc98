package delimited
import ("testing";"os";"io";"github.com/fairtrain/fairtrain/dataset/textfile")
func BenchmarkSplit(b *testing.B){
 data,_ := os.ReadFile("/tmp/read-data/mixed.csv")
 text := string(data[:1<<18]); k:=len(text); for text[k-1] != '\n' {k--}
 s := Splitter{Name:"f", Format: Format{Delimiter: ","}, Width: 30}
 var r Rows
 b.SetBytes(int64(k))
 for b.Loop() { s.Split(&r, textfile.Chunk{Text:text[:k], Line:1, Err: io.EOF}) }
 if r.Err != io.EOF {b.Fatal(r.Err)}
}
