package quantity
import ("testing";"math/rand/v2";"fmt";"strings")
func BenchmarkDec(b *testing.B){
 for _, f := range []string{"%.1f","%.2f","%.3f","%.4f","%.0f","%.9f"} {
 var sb strings.Builder
 var at []int
 for range 30000 { at=append(at, sb.Len()); fmt.Fprintf(&sb, f, 1000*(rand.Float64()-0.3)); at=append(at,sb.Len()); sb.WriteByte(',')}
 sb.WriteString("                    ")
 t:=sb.String()
 b.Run(f+"/in", func(b *testing.B){ s:=0.0; for b.Loop(){ for i:=0;i<len(at);i+=2 { v,_,_:=DecimalIn(t[at[i]:], at[i+1]-at[i]); s+=v}}})
 b.Run(f+"/old", func(b *testing.B){ s:=0.0; for b.Loop(){ for i:=0;i<len(at);i+=2 { v,_,_:=ParseDecimal(t[at[i]: at[i+1]]); s+=v}}})
 }
}
